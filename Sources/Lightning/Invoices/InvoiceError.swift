import Bitcoin

/// Why a word is no invoice that can be paid, or why one cannot be written.
public enum InvoiceError: Error, Hashable, Sendable, CustomStringConvertible {
  // As a word.
  case notAnInvoice
  case foreignCharacter
  case mixedCase
  case noSeparator
  case tooShort
  case checksumIsWrong
  // What stands in front of the 1.
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
  // Who signed it.
  case signerIsUnknown
  case signatureIsWrong
  // When it is written.
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
      "this is no Lightning invoice, as it does not begin with `ln`; make one with `baton invoice`"
    case .foreignCharacter: "the invoice has characters that do not belong there; copy it again, all of it"
    case .mixedCase:
      "the invoice has capital and small letters, and must have one kind alone; copy it as it was made"
    case .noSeparator: "the invoice has no `1` behind its amount; copy it again, all of it"
    case .tooShort: "the invoice is too short; copy it again, all of it"
    case .checksumIsWrong:
      "the checksum of the invoice is wrong, so a character is lost or changed; copy it again"
    case .unknownNetwork(let prefix):
      "the invoice begins with \(prefix), which is no network of bitcoin that is known here; ask for one that begins with lnbc, lntb, lntbs or lnbcrt"
    case .amountIsMalformed:
      "the amount of the invoice is no number with m, u, n, p or nothing behind it; ask for a new one"
    case .amountIsNoWholeMsat: "the invoice asks for a part of a millisatoshi; ask for a new one"
    case .amountIsTooLarge: "the invoice asks for more bitcoin than there will ever be; ask for a new one"
    case .fieldIsCut: "the fields of the invoice end in the middle of one; ask for a new one"
    case .missing(.text): "the invoice does not say what it is for; ask for a new one"
    case .missing(let tag): "the invoice has no \(tag.meaning) (`\(tag.letter)`); ask for a new one"
    case .twoTexts: "the invoice has a text and the hash of one, and may have one of them; ask for a new one"
    case .textIsNotUTF8: "the text of the invoice is not UTF-8; ask for a new one"
    case .notMinimal(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice has zeros in front; ask for a new one"
    case .numberIsTooLarge(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice is larger than 64 bits; ask for a new one"
    case .badField(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) of the invoice cannot be one; ask for a new one"
    case .unknownFeature(let bit):
      "the invoice needs a payer that has feature \(bit), which is not known here; pay it with another wallet"
    case .featureWithoutAnother:
      "the invoice offers payments in parts (feature 16) without a payment secret (feature 14); ask for a new one"
    case .signerIsUnknown: "no key can have made the signature of the invoice; ask for a new one"
    case .signatureIsWrong:
      "the signature of the invoice is not that of the payee that it names; do not pay it, and ask for a new one"
    case .timeIsImpossible: "the clock shows a time that no invoice can have; set it right"
    case .fieldIsTooLong(let tag):
      "the \(tag.meaning) (`\(tag.letter)`) is too long for an invoice; make it shorter"
    case .payeeIsAnother: "the payee that the invoice names is not who signs it; name the signer, or no payee"
    }
  }
}
