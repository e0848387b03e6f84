// Features of invoices: context 9 in BOLT 9.
extension Features {
  private struct Named {
    var bit: Int
    var name: String
  }

  public static let varOnionOptin = 8
  public static let paymentSecret = 14
  public static let basicMPP = 16

  /// The features that BOLT 9 allows or assumes in an invoice, by their even bits.
  private static let inInvoices = [
    Named(bit: varOnionOptin, name: "var_onion_optin"), Named(bit: paymentSecret, name: "payment_secret"),
    Named(bit: basicMPP, name: "basic_mpp"), Named(bit: 24, name: "option_route_blinding"),
    Named(bit: 36, name: "option_attribution_data"), Named(bit: 48, name: "option_payment_metadata"),
  ]

  /// The features that every invoice requires of its payer, and every payer has today.
  public static let ofEveryInvoice = Features([varOnionOptin, paymentSecret])

  /// With optional `basic_mpp`: the wallet accepts payments in parts.
  public static let ofOurInvoices = Features(ofEveryInvoice.bits + [basicMPP + 1])

  /// Nil for an unknown feature.
  public static func nameInInvoices(of bit: Int) -> String? {
    inInvoices.first { $0.bit == bit & ~1 }?.name
  }

  /// The set bits, the lowest first.
  public var bits: [Int] {
    bytes.array.reversed().enumerated().flatMap { place, byte in
      (0..<8).filter { byte >> UInt8($0) & 1 == 1 }.map { 8 * place + $0 }
    }
  }

  /// Throws for an unknown required feature, or a missing dependency.
  func checkInInvoice() throws(InvoiceError) {
    for bit in bits where bit.isMultiple(of: 2) && Self.nameInInvoices(of: bit) == nil {
      throw .unknownFeature(bit)
    }
    if offers(Self.basicMPP), !offers(Self.paymentSecret) { throw .featureWithoutAnother }
  }

  /// From words of five bits, the highest bit first.
  init(words: some BidirectionalCollection<UInt8>) {
    self.init(
      words.reversed().enumerated().flatMap { place, word in
        (0..<5).filter { word >> UInt8($0) & 1 == 1 }.map { 5 * place + $0 }
      })
  }

  /// The fewest words; none if no bit is set.
  var words: [UInt8] {
    let bits = bits
    var words = [UInt8](repeating: 0, count: ((bits.last ?? -1) + 5) / 5)
    for bit in bits { words[words.count - 1 - bit / 5] |= 1 << UInt8(bit % 5) }
    return words
  }
}
