import LightningWire

// Features as they stand in an invoice: BOLT 9 marks them with a 9.
extension Features {
  private struct Named {
    var bit: Int
    var name: String
  }

  public static let varOnionOptin = 8
  public static let paymentSecret = 14
  public static let basicMPP = 16

  /// Those that BOLT 9 allows in an invoice, or takes for granted there. By their even bit.
  private static let inInvoices = [
    Named(bit: varOnionOptin, name: "var_onion_optin"), Named(bit: paymentSecret, name: "payment_secret"),
    Named(bit: basicMPP, name: "basic_mpp"), Named(bit: 24, name: "option_route_blinding"),
    Named(bit: 36, name: "option_attribution_data"), Named(bit: 48, name: "option_payment_metadata"),
  ]

  /// What every invoice asks of whoever pays: an onion of variable length with the payment secret in it, as every payer
  /// has them today.
  public static let ofEveryInvoice = Features([varOnionOptin, paymentSecret])

  /// The wallet takes a payment in parts as well.
  public static let ofOurInvoices = Features(ofEveryInvoice.bits + [basicMPP + 1])

  /// Nil for one that nobody here knows.
  public static func nameInInvoices(of bit: Int) -> String? {
    inInvoices.first { $0.bit == bit & ~1 }?.name
  }

  /// Every bit that is set, the lowest first.
  public var bits: [Int] {
    bytes.array.reversed().enumerated().flatMap { place, byte in
      (0..<8).filter { byte >> UInt8($0) & 1 == 1 }.map { 8 * place + $0 }
    }
  }

  /// Throws for what a payer must not overlook.
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

  /// As few words as they need; none when no bit is set.
  var words: [UInt8] {
    let bits = bits
    var words = [UInt8](repeating: 0, count: ((bits.last ?? -1) + 5) / 5)
    for bit in bits { words[words.count - 1 - bit / 5] |= 1 << UInt8(bit % 5) }
    return words
  }
}
