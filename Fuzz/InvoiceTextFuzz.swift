import Crypto

@testable import Lightning

/// An invoice as a person pastes it. The checksum would stop every guess, so the bytes are also read behind a right one.
enum InvoiceTextFuzz: FuzzTarget {
  static let name = "invoice-text"
  static let longestInput = 560

  static var seeds: [[UInt8]] {
    let texts = ["", "Coffee", String(repeating: "é", count: 100)]
    let words = texts.map {
      InvoiceText(
        paymentHash: SampleMessages.preimage, amountMsat: 5_000_000, expiresAt: 1_795_208_192, text: $0
      )
      .encoded
    }
    return words.map { Array($0.utf8) } + words.compactMap(content)
      + ["lnbc20u1pvjluez", "LNBATON1"].map { Array($0.utf8) }
  }

  private static func content(of word: String) -> [UInt8]? {
    Hexadecimal.decode(String(word.dropFirst(InvoiceText.prefix.count)))?.dropLast(InvoiceText.checksumSize)
  }

  static func feed(_ bytes: [UInt8]) {
    read(text(bytes))
    let checksum = SHA256.hash(bytes).bytes.prefix(InvoiceText.checksumSize)
    read(InvoiceText.prefix + Hexadecimal.encode(bytes + checksum))
  }

  private static func read(_ word: String) {
    do throws(InvoiceTextError) {
      let invoice = try InvoiceText(decoding: word)
      promise(invoice.encoded == word, "an invoice is not written as it is read")
    } catch { promiseOneLine(error.description) }
  }
}
