import Crypto
import Testing

@testable import Lightning

/// Malicious invoices, with a valid checksum and signature where a check behind them is tested.
@Suite("A hostile invoice")
struct HostileInvoiceTests {
  private static let prefix = "lnbcrt50u"
  private let key = ValidInvoiceTests.key

  private func failure(_ encoded: String) -> InvoiceError? {
    do throws(InvoiceError) {
      _ = try SignedInvoice(decoding: encoded)
      return nil
    } catch { return error }
  }

  /// A validly signed invoice with this data part.
  private func signed(_ data: [UInt8], prefix: String = prefix) -> String {
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

  @Test func `An empty string or a bare prefix is refused`() {
    #expect(failure("") == .notAnInvoice)
    #expect(failure("l") == .notAnInvoice)
    #expect(failure("ln") == .noSeparator)
    #expect(failure("ln1") == .tooShort)
    #expect(failure("lnbcrt") == .noSeparator)
    #expect(failure("lnbcrt1") == .tooShort)
    #expect(failure("lnbcrt50u1") == .tooShort)
    #expect(failure(Bech32.encode(prefix: "lnbcrt50u", words: [])) == .tooShort)
    #expect(failure(signed([])) == .tooShort)
    #expect(failure("1") == .notAnInvoice)
    #expect(failure("lightning:") == .notAnInvoice)
  }

  @Test func `A huge invalid string is refused, and a long valid invoice is read`() {
    #expect(failure("ln" + String(repeating: "q", count: 1_000_000)) == .noSeparator)
    #expect(failure("lnbc1" + String(repeating: "q", count: 1_000_000)) == .checksumIsWrong)
    let many = needed + (0..<500).flatMap { _ in field(.text, [UInt8](repeating: 0, count: 1023)) }
    #expect(failure(signed(many)) == nil)
  }

  @Test(arguments: ["é", "\0", " ", "b", "o", "i", "\u{7f}", "٣"])
  func `A character outside Bech32 is refused`(character: String) {
    #expect(failure("lnbcrt1qqqqqqqqq\(character)qqqq") == .foreignCharacter)
  }

  @Test func `An invoice of an unknown network is refused, and the refusal names its prefix`() {
    for (prefix, name) in [
      ("lnsb", "lnsb"), ("lnbcx1", "lnbcx"), ("lntbsx", "lntbsx"), ("lnltc", "lnltc"), ("ln10u", "ln"),
      ("ln" + String(repeating: "x", count: 500), "lnxxxxxxxx"),
    ] {
      #expect(failure(signed(needed, prefix: prefix)) == .unknownNetwork(name))
    }
  }

  @Test func `An invoice that ends within a field is refused`() {
    #expect(failure(signed(needed)) == nil)
    #expect(failure(signed(needed + [13])) == .fieldIsCut)
    #expect(failure(signed(needed + [13, 0])) == .fieldIsCut)
    #expect(failure(signed(needed + field(.text, [1], saying: 2))) == .fieldIsCut)
    #expect(failure(signed(needed + field(.text, [], saying: 1023))) == .fieldIsCut)
    #expect(failure(signed(needed + [2, 31, 31])) == .fieldIsCut)
    for length in 0..<needed.count { #expect(failure(signed(Array(needed.prefix(length)))) != nil) }
  }

  @Test func `A field of 1,023 words is read, ignored or refused, by its kind`() {
    let ones = [UInt8](repeating: 31, count: 1023)
    #expect(failure(signed(needed + field(.paymentHash, ones))) == nil)
    #expect(failure(signed(needed + field(.paymentSecret, ones))) == nil)
    #expect(failure(signed(needed + field(.textHash, ones))) == nil)
    #expect(failure(signed(needed + field(.payee, ones))) == nil)
    #expect(failure(signed(needed + field(.metadata, ones))) == nil)
    #expect(failure(signed(needed + field(.text, ones))) == .textIsNotUTF8)
    #expect(failure(signed(needed + field(.expiry, ones))) == .numberIsTooLarge(.expiry))
    #expect(failure(signed(needed + field(.finalExpiryDelta, ones))) == .numberIsTooLarge(.finalExpiryDelta))
    #expect(failure(signed(needed + field(.routeHint, ones))) == .badField(.routeHint))
    #expect(failure(signed(needed + field(.fallback, ones))) == nil)
    #expect(failure(signed(needed + field(.fallback, [1] + ones.dropLast()))) == .badField(.fallback))
    #expect(failure(signed(needed + field(.features, ones))) == .unknownFeature(0))
    #expect(failure(signed(needed + [2, 31, 31] + ones)) == nil)
  }

  @Test func `An empty field is accepted, except fallback and route hint`() throws {
    for tag in InvoiceTag.allCases where tag != .fallback && tag != .routeHint {
      #expect(failure(signed(needed + field(tag, []))) == nil)
    }
    #expect(failure(signed(needed + field(.fallback, []))) == .badField(.fallback))
    #expect(failure(signed(needed + field(.routeHint, []))) == .badField(.routeHint))
    let invoice = try SignedInvoice(decoding: signed(needed + field(.expiry, [])))
    #expect(invoice.fields.expirySeconds == 0)
  }

  @Test func `A number or feature field with leading zeros is refused`() {
    for tag in [InvoiceTag.expiry, .finalExpiryDelta, .features] {
      #expect(failure(signed(needed + field(tag, [0, 1]))) == .notMinimal(tag))
      #expect(failure(signed(needed + field(tag, [0]))) == .notMinimal(tag))
    }
    #expect(failure(signed(needed + field(.expiry, [15] + [UInt8](repeating: 31, count: 12)))) == nil)
    let tooMuch = [16] + [UInt8](repeating: 0, count: 12)
    #expect(failure(signed(needed + field(.expiry, tooMuch))) == .numberIsTooLarge(.expiry))
  }

  @Test
  func
    `An invoice that lacks payment hash, secret or description, or has two descriptions, is refused`()
  {
    let time = [UInt8](repeating: 1, count: 7)
    let hash = [UInt8](repeating: 1, count: 32)
    #expect(failure(signed(time)) == .missing(.paymentHash))
    #expect(failure(signed(time + field(.paymentHash, bytes: hash))) == .missing(.paymentSecret))
    let both = field(.paymentHash, bytes: hash) + field(.paymentSecret, bytes: hash)
    #expect(failure(signed(time + both)) == .missing(.text))
    #expect(failure(signed(needed + field(.textHash, bytes: hash))) == .twoTexts)
  }

  @Test func `A payee that is off the curve or not the signer is refused`() {
    #expect(
      failure(signed(needed + field(.payee, bytes: [UInt8](repeating: 9, count: 33)))) == .badField(.payee))
    var fixture = InvoiceFixture(seed: 3)
    let other = fixture.key().publicKey
    #expect(failure(signed(needed + field(.payee, bytes: other.bytes))) == .signatureIsWrong)
    #expect(failure(signed(needed + field(.payee, bytes: key.publicKey.bytes))) == nil)
  }

  @Test func `A recovery id above 3 is refused`() {
    var writer = BitWriter()
    writer.put(needed)
    writer.bytes([UInt8](repeating: 1, count: 64) + [4])
    #expect(failure(Bech32.encode(prefix: Self.prefix, words: writer.words)) == .signerIsUnknown)
  }

  @Test func `A feature without its dependency, or an unknown even one, is refused`() {
    func failure(_ bits: [Int]) -> InvoiceError? {
      self.failure(signed(needed + field(.features, Features(bits).words)))
    }
    #expect(failure([8, 14, 17]) == nil)
    #expect(failure([8, 17]) == .featureWithoutAnother)
    #expect(failure([9, 15, 16]) == nil)
    #expect(failure([8, 14, 26]) == .unknownFeature(26))
    #expect(failure([8, 14, 27]) == nil)
    #expect(failure([5114]) == .unknownFeature(5114))
  }

  @Test func `Of two fields of one kind the first counts`() throws {
    let second = field(.text, bytes: [66]) + field(.paymentHash, bytes: [UInt8](repeating: 9, count: 32))
    let fields = try SignedInvoice(decoding: signed(needed + second)).fields
    #expect(fields.purpose == .text("A"))
    #expect(fields.paymentHash.bytes.first == 1)
  }

  @Test func `Random characters, and signed random data, are never read as an invoice`() {
    var fixture = InvoiceFixture(seed: 42)
    for _ in 0..<500 {
      let bytes = fixture.bytes(fixture.random.below(400))
      #expect(failure("lnbcrt1" + String(decoding: bytes, as: UTF8.self)) != nil)
      #expect(failure(signed(bytes.map { $0 & 31 })) != nil)
    }
  }

  @Test func `A refusal is one line of printable text`() {
    for error in [
      failure(""), failure("ln1"), failure("lnx\u{1b}1qqqqqqqqq"), failure(signed(needed, prefix: "ln~~")),
    ] {
      let sentence = error?.description ?? ""
      #expect(!sentence.isEmpty)
      #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
    }
  }
}
