/// The fields of an invoice, by the type word that each begins with.
public enum InvoiceTag: UInt8, Hashable, CaseIterable, Sendable {
  case paymentHash = 1
  case routeHint = 3
  case features = 5
  case expiry = 6
  case fallback = 9
  case text = 13
  case paymentSecret = 16
  case payee = 19
  case textHash = 23
  case finalExpiryDelta = 24
  case metadata = 27

  /// BOLT 11's letter.
  public var letter: Character { Bech32.letter(rawValue) }

  /// The name in messages.
  public var meaning: String {
    switch self {
    case .paymentHash: "payment hash"
    case .routeHint: "route hint"
    case .features: "features"
    case .expiry: "expiry"
    case .fallback: "fallback address"
    case .text: "description"
    case .paymentSecret: "payment secret"
    case .payee: "payee"
    case .textHash: "description hash"
    case .finalExpiryDelta: "minimum final CLTV expiry delta"
    case .metadata: "metadata"
    }
  }
}
