/// Why a text is not an invoice that can be paid, or why an invoice cannot be written.
public struct InvoiceError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  private init(_ description: String) { self.description = description }

  private static func bad(_ what: String) -> Self { Self("\(what); ask for a new one") }

  private static func field(_ tag: InvoiceTag, _ what: String) -> Self {
    bad("the \(tag.meaning) (`\(tag.letter)`) of the invoice \(what)")
  }

  // Bech32.
  public static let notAnInvoice = Self(
    "this is not a Lightning invoice: it does not begin with `ln`; make one with `baton invoice`")
  public static let foreignCharacter = Self("the invoice has invalid characters; copy all of it again")
  public static let mixedCase = Self("the invoice mixes upper and lower case; copy it unchanged")
  public static let noSeparator = Self("the invoice has no `1` after its amount; copy all of it again")
  public static let tooShort = Self("the invoice is too short; copy all of it again")
  public static let checksumIsWrong = Self(
    "the checksum of the invoice is wrong: a character is lost or changed; copy it again")
  // The prefix.
  public static func unknownNetwork(_ prefix: String) -> Self {
    Self(
      "the invoice begins with \(prefix), which is no known network; ask for one that begins with lnbc, lntb, lntbs or lnbcrt"
    )
  }
  public static let amountIsMalformed = bad(
    "the amount of the invoice is not a number above 0, without leading zeros, with m, u, n, p or no letter after it"
  )
  public static let amountIsNoWholeMsat = bad(
    "the amount of the invoice is not a whole number of millisatoshis")
  public static let amountIsTooLarge = bad("the amount of the invoice is larger than 64 bits")
  // The fields.
  public static let fieldIsCut = bad("the invoice ends in the middle of a field")
  public static func missing(_ tag: InvoiceTag) -> Self {
    bad("the invoice has no \(tag.meaning)\(tag == .text ? "" : " (`\(tag.letter)`)")")
  }
  public static let twoTexts = bad("the invoice has both a description and a description hash")
  public static let textIsNotUTF8 = bad("the description of the invoice is not UTF-8")
  public static func notMinimal(_ tag: InvoiceTag) -> Self { field(tag, "has leading zeros") }
  public static func numberIsTooLarge(_ tag: InvoiceTag) -> Self { field(tag, "is larger than 64 bits") }
  public static func badField(_ tag: InvoiceTag) -> Self { field(tag, "is invalid") }
  public static func unknownFeature(_ bit: Int) -> Self {
    Self(
      "the invoice requires feature \(bit), which this wallet does not support; pay it with another wallet")
  }
  public static let featureWithoutAnother = bad(
    "the invoice has basic_mpp (feature 16) without payment_secret (feature 14)")
  // The signature.
  public static let signerIsUnknown = bad(
    "the signature of the invoice is invalid: no public key can be recovered")
  public static let signatureIsWrong = Self(
    "the signature of the invoice is not the named payee's; do not pay it, and ask for a new one")
  // Writing.
  public static let timeIsImpossible = Self(
    "the clock is outside the range of an invoice's timestamp; set it right")
  public static func fieldIsTooLong(_ tag: InvoiceTag) -> Self {
    Self("the \(tag.meaning) (`\(tag.letter)`) is too long for an invoice; make it shorter")
  }
  public static let payeeIsAnother = Self(
    "the invoice names another payee than its signer; name the signer, or no payee")

  init(_ error: Bech32Error) {
    self =
      switch error {
      case .foreignCharacter: .foreignCharacter
      case .mixedCase: .mixedCase
      case .noSeparator: .noSeparator
      case .tooShort: .tooShort
      case .checksumIsWrong: .checksumIsWrong
      }
  }
}

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
