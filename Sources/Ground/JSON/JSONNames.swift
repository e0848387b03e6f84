/// How property names are written in JSON.
public enum JSONNames: Sendable {
  /// In journals: as declared.
  case asDeclared
  /// In rows and reports: `amountMsat` is `amount_msat`.
  case snakeCase

  public func name(_ declared: String) -> String { self == .asDeclared ? declared : Self.snake(declared) }

  private static func snake(_ declared: String) -> String {
    let letters = Array(declared.utf8)
    let isCapital = { (letter: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) }
    var written: [UInt8] = []
    for (index, letter) in letters.enumerated() {
      guard isCapital(letter) else {
        written.append(letter)
        continue
      }
      if index > 0, !isCapital(letters[index - 1]), letters[index - 1] != UInt8(ascii: "_") {
        written.append(UInt8(ascii: "_"))
      }
      written.append(letter | 0x20)
    }
    return String(decoding: written, as: UTF8.self)
  }
}
