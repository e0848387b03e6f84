import Crypto
import Testing

@testable import Bitcoin
@testable import LightningWire
@testable import LightningInvoices

/// Words that somebody made to hurt whoever reads them: well signed and with a good checksum where that leads further.
@Suite("A hostile invoice")
struct HostileInvoiceTests {
  private static let prefix = "lnbcrt50u"
  private let key = ValidInvoiceTests.key

  private func failure(_ word: String) -> InvoiceError? {
    do throws(InvoiceError) {
      _ = try SignedInvoice(decoding: word)
      return nil
    } catch { return error }
  }

  /// Signed as it should be, whatever it says.
  private func word(_ data: [UInt8], prefix: String = prefix) -> String {
    var writer = BitWriter()
    writer.put(data)
    let digest = SHA256.hash(Array(prefix.utf8) + Bech32.paddedBytes(of: data))
    let signature = key.sign(digest)
    writer.bytes(signature.compact + [signature.recovery])
    return Bech32.encode(prefix: prefix, words: writer.words)
  }

  private func field(_ tag: InvoiceTag, _ words: [UInt8], saying length: Int? = nil) -> [UInt8] {
    let count = length ?? words.count
    return [tag.rawValue, UInt8(count / 32), UInt8(count % 32)] + words
  }

  private func field(_ tag: InvoiceTag, bytes: [UInt8]) -> [UInt8] {
    var writer = BitWriter()
    writer.bytes(bytes)
    return field(tag, writer.words)
  }

  private var needed: [UInt8] {
    [UInt8](repeating: 1, count: 7) + field(.paymentHash, bytes: [UInt8](repeating: 1, count: 32))
      + field(.paymentSecret, bytes: [UInt8](repeating: 2, count: 32)) + field(.text, bytes: [65])
  }

  @Test("is empty, or a prefix alone") func empty() {
    #expect(failure("") == .notAnInvoice)
    #expect(failure("l") == .notAnInvoice)
    #expect(failure("ln") == .noSeparator)
    #expect(failure("ln1") == .tooShort)
    #expect(failure("lnbcrt") == .noSeparator)
    #expect(failure("lnbcrt1") == .tooShort)
    #expect(failure("lnbcrt50u1") == .tooShort)
    #expect(failure(Bech32.encode(prefix: "lnbcrt50u", words: [])) == .tooShort)
    #expect(failure(word([])) == .tooShort)
    #expect(failure("1") == .notAnInvoice)
    #expect(failure("lightning:") == .notAnInvoice)
  }

  @Test("is huge") func huge() {
    #expect(failure("ln" + String(repeating: "q", count: 1_000_000)) == .noSeparator)
    #expect(failure("lnbc1" + String(repeating: "q", count: 1_000_000)) == .checksumIsWrong)
    let many = needed + (0..<500).flatMap { _ in field(.text, [UInt8](repeating: 0, count: 1023)) }
    #expect(failure(word(many)) == nil)
  }

  @Test("has characters that no invoice has", arguments: ["é", "\0", " ", "b", "o", "i", "\u{7f}", "٣"])
  func characters(character: String) {
    #expect(failure("lnbcrt1qqqqqqqqq\(character)qqqq") == .foreignCharacter)
  }

  @Test("is of a network that nobody knows") func networks() {
    for (prefix, name) in [
      ("lnsb", "lnsb"), ("lnbcx1", "lnbcx"), ("lntbsx", "lntbsx"), ("lnltc", "lnltc"), ("ln10u", "ln"),
      ("ln" + String(repeating: "x", count: 500), "lnxxxxxxxx"),
    ] {
      #expect(failure(word(needed, prefix: prefix)) == .unknownNetwork(name))
    }
  }

  @Test("ends in the middle of a field") func cut() {
    #expect(failure(word(needed)) == nil)
    #expect(failure(word(needed + [13])) == .fieldIsCut)
    #expect(failure(word(needed + [13, 0])) == .fieldIsCut)
    #expect(failure(word(needed + field(.text, [1], saying: 2))) == .fieldIsCut)
    #expect(failure(word(needed + field(.text, [], saying: 1023))) == .fieldIsCut)
    #expect(failure(word(needed + [2, 31, 31])) == .fieldIsCut)
    for length in 0..<needed.count { #expect(failure(word(Array(needed.prefix(length)))) != nil) }
  }

  @Test("has fields of every kind that are 1,023 words long") func longest() {
    let ones = [UInt8](repeating: 31, count: 1023)
    #expect(failure(word(needed + field(.paymentHash, ones))) == nil)
    #expect(failure(word(needed + field(.paymentSecret, ones))) == nil)
    #expect(failure(word(needed + field(.textHash, ones))) == nil)
    #expect(failure(word(needed + field(.payee, ones))) == nil)
    #expect(failure(word(needed + field(.metadata, ones))) == nil)
    #expect(failure(word(needed + field(.text, ones))) == .textIsNotUTF8)
    #expect(failure(word(needed + field(.expiry, ones))) == .numberIsTooLarge(.expiry))
    #expect(failure(word(needed + field(.finalExpiryDelta, ones))) == .numberIsTooLarge(.finalExpiryDelta))
    #expect(failure(word(needed + field(.routeHint, ones))) == .badField(.routeHint))
    #expect(failure(word(needed + field(.fallback, ones))) == nil)
    #expect(failure(word(needed + field(.fallback, [1] + ones.dropLast()))) == .badField(.fallback))
    #expect(failure(word(needed + field(.features, ones))) == .unknownFeature(0))
    #expect(failure(word(needed + [2, 31, 31] + ones)) == nil)
  }

  @Test("has fields of every kind that are empty") func nothing() throws {
    for tag in InvoiceTag.allCases where tag != .fallback && tag != .routeHint {
      #expect(failure(word(needed + field(tag, []))) == nil)
    }
    #expect(failure(word(needed + field(.fallback, []))) == .badField(.fallback))
    #expect(failure(word(needed + field(.routeHint, []))) == .badField(.routeHint))
    let invoice = try SignedInvoice(decoding: word(needed + field(.expiry, [])))
    #expect(invoice.fields.expirySeconds == 0)
  }

  @Test("writes numbers and features with zeros in front") func notMinimal() {
    for tag in [InvoiceTag.expiry, .finalExpiryDelta, .features] {
      #expect(failure(word(needed + field(tag, [0, 1]))) == .notMinimal(tag))
      #expect(failure(word(needed + field(tag, [0]))) == .notMinimal(tag))
    }
    #expect(failure(word(needed + field(.expiry, [15] + [UInt8](repeating: 31, count: 12)))) == nil)
    let tooMuch = [16] + [UInt8](repeating: 0, count: 12)
    #expect(failure(word(needed + field(.expiry, tooMuch))) == .numberIsTooLarge(.expiry))
  }

  @Test("lacks what a payer needs, or has it twice in different kinds") func missing() {
    let time = [UInt8](repeating: 1, count: 7)
    let hash = [UInt8](repeating: 1, count: 32)
    #expect(failure(word(time)) == .missing(.paymentHash))
    #expect(failure(word(time + field(.paymentHash, bytes: hash))) == .missing(.paymentSecret))
    let both = field(.paymentHash, bytes: hash) + field(.paymentSecret, bytes: hash)
    #expect(failure(word(time + both)) == .missing(.text))
    #expect(failure(word(needed + field(.textHash, bytes: hash))) == .twoTexts)
  }

  @Test("names a payee that is not on the curve, or that did not sign") func payees() {
    #expect(
      failure(word(needed + field(.payee, bytes: [UInt8](repeating: 9, count: 33)))) == .badField(.payee))
    var fixture = InvoiceFixture(seed: 3)
    let other = fixture.key().publicKey
    #expect(failure(word(needed + field(.payee, bytes: other.bytes))) == .signatureIsWrong)
    #expect(failure(word(needed + field(.payee, bytes: key.publicKey.bytes))) == nil)
  }

  @Test("has a signature of a kind that there is not") func recovery() {
    var writer = BitWriter()
    writer.put(needed)
    writer.bytes([UInt8](repeating: 1, count: 64) + [4])
    #expect(failure(Bech32.encode(prefix: Self.prefix, words: writer.words)) == .signerIsUnknown)
  }

  @Test("offers payments in parts that nobody could put together") func features() {
    func failure(_ bits: [Int]) -> InvoiceError? {
      self.failure(word(needed + field(.features, Features(bits).words)))
    }
    #expect(failure([8, 14, 17]) == nil)
    #expect(failure([8, 17]) == .featureWithoutAnother)
    #expect(failure([9, 15, 16]) == nil)
    #expect(failure([8, 14, 26]) == .unknownFeature(26))
    #expect(failure([8, 14, 27]) == nil)
    #expect(failure([5114]) == .unknownFeature(5114))
  }

  @Test("says the first of a kind first, and that counts") func first() throws {
    let second = field(.text, bytes: [66]) + field(.paymentHash, bytes: [UInt8](repeating: 9, count: 32))
    let fields = try SignedInvoice(decoding: word(needed + second)).fields
    #expect(fields.purpose == .text("A"))
    #expect(fields.paymentHash.bytes.first == 1)
  }

  @Test("is never read from random characters, or with random data behind a good signature") func chance() {
    var fixture = InvoiceFixture(seed: 42)
    for _ in 0..<500 {
      let bytes = fixture.bytes(fixture.random.below(400))
      #expect(failure("lnbcrt1" + String(decoding: bytes, as: UTF8.self)) != nil)
      #expect(failure(word(bytes.map { $0 & 31 })) != nil)
    }
  }

  @Test("is refused in one line") func sentences() {
    for error in [
      failure(""), failure("ln1"), failure("lnx\u{1b}1qqqqqqqqq"), failure(word(needed, prefix: "ln~~")),
    ] {
      let sentence = error?.description ?? ""
      #expect(!sentence.isEmpty)
      #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
    }
  }
}
