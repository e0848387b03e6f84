/// The amount in an invoice's prefix: a number of bitcoin, or of a fraction with a letter.
enum InvoiceAmount {
  private struct Part {
    var letter: String
    var msat: UInt64
  }

  private static let msatPerBitcoin: UInt64 = 100_000_000_000
  /// The largest first.
  private static let parts = [
    Part(letter: "m", msat: msatPerBitcoin / 1000), Part(letter: "u", msat: msatPerBitcoin / 1_000_000),
    Part(letter: "n", msat: msatPerBitcoin / 1_000_000_000),
  ]

  /// The shortest form.
  static func write(msat: UInt64) -> String {
    if msat.isMultiple(of: msatPerBitcoin) { return "\(msat / msatPerBitcoin)" }
    for part in parts where msat.isMultiple(of: part.msat) {
      return "\(msat / part.msat)\(part.letter)"
    }
    // `p` is a tenth of a millisatoshi.
    return "\(msat)0p"
  }

  static func read(_ text: some StringProtocol) throws(InvoiceError) -> UInt64 {
    let characters = Array(text.utf8)
    let digits = characters.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let letter = String(decoding: characters.dropFirst(digits.count), as: UTF8.self)
    guard let first = digits.first, first != UInt8(ascii: "0") else { throw .amountIsMalformed }
    if letter == "p" {
      guard digits.last == UInt8(ascii: "0") else { throw .amountIsNoWholeMsat }
      return try number(digits.dropLast(), times: 1)
    }
    if letter.isEmpty { return try number(digits, times: msatPerBitcoin) }
    guard let part = parts.first(where: { $0.letter == letter }) else {
      throw .amountIsMalformed
    }
    return try number(digits, times: part.msat)
  }

  private static func number(
    _ digits: ArraySlice<UInt8>, times unit: UInt64
  ) throws(InvoiceError) -> UInt64 {
    guard let count = UInt64(String(decoding: digits, as: UTF8.self)) else { throw .amountIsTooLarge }
    let (msat, overflowed) = count.multipliedReportingOverflow(by: unit)
    guard !overflowed else { throw .amountIsTooLarge }
    return msat
  }
}
