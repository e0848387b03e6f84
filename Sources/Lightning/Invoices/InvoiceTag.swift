import Bitcoin

/// The fields of an invoice, by the word that each begins with.
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

  /// As BOLT 11 names it.
  public var letter: Character { Bech32.letter(rawValue) }

  /// In the words of people.
  public var meaning: String {
    switch self {
    case .paymentHash: "payment hash"
    case .routeHint: "route hint"
    case .features: "features"
    case .expiry: "expiry"
    case .fallback: "fallback address"
    case .text: "text"
    case .paymentSecret: "payment secret"
    case .payee: "payee"
    case .textHash: "hash of the text"
    case .finalExpiryDelta: "least expiry of the last HTLC"
    case .metadata: "metadata"
    }
  }
}
