/// Why a text is not an invoice that can be paid, or why an invoice cannot be written.
public enum InvoiceError: Error, Hashable, Sendable, CustomStringConvertible {
  // Bech32.
  case notAnInvoice
  case foreignCharacter
  case mixedCase
  case noSeparator
  case tooShort
  case checksumIsWrong
  // The prefix.
  case unknownNetwork(String)
  case amountIsMalformed
  case amountIsNoWholeMsat
  case amountIsTooLarge
  // The fields.
  case fieldIsCut
  case missing(InvoiceTag)
  case twoTexts
  case textIsNotUTF8
  case notMinimal(InvoiceTag)
  case numberIsTooLarge(InvoiceTag)
  case badField(InvoiceTag)
  case unknownFeature(Int)
  case featureWithoutAnother
  // The signature.
  case signerIsUnknown
  case signatureIsWrong
  // Writing.
  case timeIsImpossible
  case fieldIsTooLong(InvoiceTag)
  case payeeIsAnother

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

  public var description: String {
    switch self {
    case .notAnInvoice:
      "this is not a Lightning invoice: it does not begin with `ln`; make one with `baton invoice`"
    case .foreignCharacter: "the invoice has invalid characters; copy all of it again"
    case .mixedCase:
      "the invoice mixes upper and lower case; copy it unchanged"
    case .noSeparator: "the invoice has no `1` after its amount; copy all of it again"
    case .tooShort: "the invoice is too short; copy all of it again"
    case .checksumIsWrong:
      "the checksum of the invoice is wrong: a character is lost or changed; copy it again"
    case .unknownNetwork(let prefix):
      "the invoice begins with \(prefix), which is no known network; ask for one that begins with lnbc, lntb, lntbs or lnbcrt"
    case .amountIsMalformed:
      "the amount of the invoice is not a number above 0, without leading zeros, with m, u, n, p or no letter after it; ask for a new one"
    case .amountIsNoWholeMsat:
      "the amount of the invoice is not a whole number of millisatoshis; ask for a new one"
    case .amountIsTooLarge: "the amount of the invoice is larger than 64 bits; ask for a new one"
    case .fieldIsCut: "the invoice ends in the middle of a field; ask for a new one"
    case .missing(.text): "the invoice has no description; ask for a new one"
    case .missing(let tag): "the invoice has no \(tag.meaning) (`\(tag.letter)`); ask for a new one"
    case .twoTexts: "the invoice has both a description and a description hash; ask for a new one"
    case .textIsNotUTF8: "the description of the invoice is not UTF-8; ask for a new one"
    case .notMinimal(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice has leading zeros; ask for a new one"
    case .numberIsTooLarge(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice is larger than 64 bits; ask for a new one"
    case .badField(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice is invalid; ask for a new one"
    case .unknownFeature(let bit):
      "the invoice requires feature \(bit), which this wallet does not support; pay it with another wallet"
    case .featureWithoutAnother:
      "the invoice has basic_mpp (feature 16) without payment_secret (feature 14); ask for a new one"
    case .signerIsUnknown:
      "the signature of the invoice is invalid: no public key can be recovered; ask for a new one"
    case .signatureIsWrong:
      "the signature of the invoice is not the named payee's; do not pay it, and ask for a new one"
    case .timeIsImpossible: "the clock is outside the range of an invoice's timestamp; set it right"
    case .fieldIsTooLong(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) is too long for an invoice; make it shorter"
    case .payeeIsAnother: "the invoice names another payee than its signer; name the signer, or no payee"
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
