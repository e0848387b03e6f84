import Crypto
import Simulation
import Testing

@testable import Lightning

@Suite("An invoice as one word")
struct InvoiceTextTests {
  private let invoice = InvoiceText(
    paymentHash: SHA256.hash([1, 2, 3]), amountMsat: 5_000_000, expiresAt: 1_900_000_000, text: "Kaffee ☕")

  private func failure(_ word: String) -> InvoiceTextError? {
    do throws(InvoiceTextError) {
      _ = try InvoiceText(decoding: word)
      return nil
    } catch { return error }
  }

  /// With a checksum that is right, so that what is behind it is looked at.
  private func word(_ bytes: [UInt8]) -> String {
    InvoiceText.prefix + Hexadecimal.encode(bytes + SHA256.hash(bytes).bytes.prefix(4))
  }

  private func payload(text: [UInt8], saying length: Int? = nil, version: UInt8 = 1) -> [UInt8] {
    let count = length ?? text.count
    let fixed = [version] + [UInt8](repeating: 7, count: 48)
    return fixed + [UInt8(count >> 8), UInt8(count & 0xff)] + text
  }

  @Test("is read as it was written") func roundTrip() throws {
    #expect(try InvoiceText(decoding: invoice.encoded) == invoice)
  }

  @Test("carries the greatest and the smallest numbers", arguments: [Int64.min, -1, 0, .max])
  func extremes(expiresAt: Int64) throws {
    let extreme = InvoiceText(paymentHash: .zero, amountMsat: .max, expiresAt: expiresAt, text: "")
    #expect(try InvoiceText(decoding: extreme.encoded) == extreme)
  }

  @Test("has the layout that is written down") func layout() {
    let plain = InvoiceText(paymentHash: .zero, amountMsat: 258, expiresAt: 3, text: "A")
    let expected =
      "01" + String(repeating: "00", count: 32) + "0000000000000102" + "0000000000000003" + "0001" + "41"
    #expect(plain.encoded.hasPrefix("lnbaton1" + expected))
    #expect(plain.encoded.count == 8 + expected.count + 8)
  }

  @Test("does not survive a change of any character") func everyCharacterCounts() {
    let good = Array(invoice.encoded)
    for position in good.indices {
      var changed = good
      changed[position] = changed[position] == "0" ? "1" : "0"
      #expect(failure(String(changed)) != nil, "position \(position)")
    }
  }

  @Test("is refused when any part of its end is missing") func everyPrefixIsRefused() {
    let good = invoice.encoded
    for length in 0..<good.count { #expect(failure(String(good.prefix(length))) != nil) }
  }

  @Test("says what is wrong with it") func reasons() {
    #expect(failure("") == .notAnInvoice)
    #expect(failure("lnbc10n1pj9x") == .isBOLT11)
    #expect(failure("lnbaton1") == .tooShort)
    #expect(failure("lnbaton1abc") == .tooShort)
    #expect(failure("lnbaton1zz") == .notHexadecimal)
    #expect(failure(invoice.encoded.uppercased()) == .notAnInvoice)
    #expect(failure("lnbaton1" + String(repeating: "AB", count: 60)) == .notHexadecimal)
    #expect(failure("lnbaton1" + String(repeating: "é", count: 60)) == .notHexadecimal)
    #expect(failure("lnbaton1" + String(repeating: "0", count: 3000)) == .tooLong)
    #expect(failure("lnbaton1" + String(repeating: "0", count: 120)) == .checksumIsWrong)
  }

  @Test("with a good checksum is still read strictly") func strictness() {
    #expect(failure(word(payload(text: [], version: 2))) == .unknownVersion(2))
    #expect(failure(word(payload(text: [65, 66], saying: 1))) == .trailingBytes)
    #expect(failure(word(payload(text: [65], saying: 2))) == .tooShort)
    #expect(failure(word(payload(text: [65], saying: 65535))) == .tooShort)
    #expect(failure(word(payload(text: [0xc3, 0x28]))) == .textIsNotUTF8)
    #expect(failure(word([UInt8](repeating: 1, count: 20))) == .tooShort)
    #expect(failure(word([])) == .tooShort)
  }

  @Test("cuts a text that is too long at a whole character") func longText() throws {
    let long = InvoiceText(
      paymentHash: .zero, amountMsat: 1, expiresAt: 1, text: String(repeating: "☕", count: 400))
    #expect(long.text == String(repeating: "☕", count: 66))
    #expect(try InvoiceText(decoding: long.encoded) == long)
  }

  @Test("is never read from random bytes") func randomBytes() {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<2000 {
      let bytes = (0..<random.below(120)).map { _ in UInt8(random.below(256)) }
      #expect(failure(InvoiceText.prefix + Hexadecimal.encode(bytes)) != nil)
      #expect(failure(String(decoding: bytes, as: UTF8.self)) != nil)
    }
  }

  @Test("is expired from its expiry on") func expiry() {
    #expect(!invoice.isExpired(atWallSeconds: 1_899_999_999))
    #expect(invoice.isExpired(atWallSeconds: 1_900_000_000))
  }
}
