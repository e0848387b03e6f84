@testable import Lightning

/// Malicious invoices, with a valid checksum and signature where a check behind them is tested.
@Suite("A hostile invoice") struct HostileInvoiceTests {
  private static let prefix = "lnbcrt50u"
  private let key = ValidInvoiceTests.key

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
    expect(invoiceFailure(""), is: .notAnInvoice)
    expect(invoiceFailure("l"), is: .notAnInvoice)
    expect(invoiceFailure("ln"), is: .noSeparator)
    expect(invoiceFailure("ln1"), is: .tooShort)
    expect(invoiceFailure("lnbcrt"), is: .noSeparator)
    expect(invoiceFailure("lnbcrt1"), is: .tooShort)
    expect(invoiceFailure("lnbcrt50u1"), is: .tooShort)
    expect(invoiceFailure(Bech32.encode(prefix: "lnbcrt50u", words: [])), is: .tooShort)
    expect(invoiceFailure(signed([])), is: .tooShort)
    expect(invoiceFailure("1"), is: .notAnInvoice)
    expect(invoiceFailure("lightning:"), is: .notAnInvoice)
  }

  @Test func `A huge invalid string is refused, and a long valid invoice is read`() {
    expect(invoiceFailure("ln" + String(repeating: "q", count: 1_000_000)), is: .noSeparator)
    expect(invoiceFailure("lnbc1" + String(repeating: "q", count: 1_000_000)), is: .checksumIsWrong)
    let many = needed + (0..<500).flatMap { _ in field(.text, [UInt8](repeating: 0, count: 1023)) }
    #expect(invoiceFailure(signed(many)) == nil)
  }

  @Test(arguments: ["é", "\0", " ", "b", "o", "i", "\u{7f}", "٣"])
  func `A character outside Bech32 is refused`(character: String) {
    expect(invoiceFailure("lnbcrt1qqqqqqqqq\(character)qqqq"), is: .foreignCharacter)
  }

  @Test func `An invoice of an unknown network is refused, and the refusal names its prefix`() {
    for (prefix, name) in [
      ("lnsb", "lnsb"), ("lnbcx1", "lnbcx"), ("lntbsx", "lntbsx"), ("lnltc", "lnltc"), ("ln10u", "ln"),
      ("ln" + String(repeating: "x", count: 500), "lnxxxxxxxx"),
    ] {
      expect(invoiceFailure(signed(needed, prefix: prefix)), is: .unknownNetwork(name))
    }
  }

  @Test func `An invoice that ends within a field is refused`() {
    #expect(invoiceFailure(signed(needed)) == nil)
    expect(invoiceFailure(signed(needed + [13])), is: .fieldIsCut)
    expect(invoiceFailure(signed(needed + [13, 0])), is: .fieldIsCut)
    expect(invoiceFailure(signed(needed + field(.text, [1], saying: 2))), is: .fieldIsCut)
    expect(invoiceFailure(signed(needed + field(.text, [], saying: 1023))), is: .fieldIsCut)
    expect(invoiceFailure(signed(needed + [2, 31, 31])), is: .fieldIsCut)
    for length in 0..<needed.count { #expect(invoiceFailure(signed(Array(needed.prefix(length)))) != nil) }
  }

  @Test func `A field of 1,023 words is read, ignored or refused, by its kind`() {
    let ones = [UInt8](repeating: 31, count: 1023)
    #expect(invoiceFailure(signed(needed + field(.paymentHash, ones))) == nil)
    #expect(invoiceFailure(signed(needed + field(.paymentSecret, ones))) == nil)
    #expect(invoiceFailure(signed(needed + field(.textHash, ones))) == nil)
    #expect(invoiceFailure(signed(needed + field(.payee, ones))) == nil)
    #expect(invoiceFailure(signed(needed + field(.metadata, ones))) == nil)
    expect(invoiceFailure(signed(needed + field(.text, ones))), is: .textIsNotUTF8)
    expect(invoiceFailure(signed(needed + field(.expiry, ones))), is: .numberIsTooLarge(.expiry))
    expect(
      invoiceFailure(signed(needed + field(.finalExpiryDelta, ones))),
      is: .numberIsTooLarge(.finalExpiryDelta))
    expect(invoiceFailure(signed(needed + field(.routeHint, ones))), is: .badField(.routeHint))
    #expect(invoiceFailure(signed(needed + field(.fallback, ones))) == nil)
    expect(invoiceFailure(signed(needed + field(.fallback, [1] + ones.dropLast()))), is: .badField(.fallback))
    expect(invoiceFailure(signed(needed + field(.features, ones))), is: .unknownFeature(0))
    #expect(invoiceFailure(signed(needed + [2, 31, 31] + ones)) == nil)
  }

  @Test func `An empty field is accepted, except fallback and route hint`() throws {
    for tag in InvoiceTag.allCases where tag != .fallback && tag != .routeHint {
      #expect(invoiceFailure(signed(needed + field(tag, []))) == nil)
    }
    expect(invoiceFailure(signed(needed + field(.fallback, []))), is: .badField(.fallback))
    expect(invoiceFailure(signed(needed + field(.routeHint, []))), is: .badField(.routeHint))
    let invoice = try SignedInvoice(decoding: signed(needed + field(.expiry, [])))
    expect(invoice.fields.expirySeconds, is: 0)
  }

  @Test func `A number or feature field with leading zeros is refused`() {
    for tag in [InvoiceTag.expiry, .finalExpiryDelta, .features] {
      expect(invoiceFailure(signed(needed + field(tag, [0, 1]))), is: .notMinimal(tag))
      expect(invoiceFailure(signed(needed + field(tag, [0]))), is: .notMinimal(tag))
    }
    #expect(invoiceFailure(signed(needed + field(.expiry, [15] + [UInt8](repeating: 31, count: 12)))) == nil)
    let tooMuch = [16] + [UInt8](repeating: 0, count: 12)
    expect(invoiceFailure(signed(needed + field(.expiry, tooMuch))), is: .numberIsTooLarge(.expiry))
  }

  @Test
  func `An invoice that lacks payment hash, secret or description, or has two descriptions, is refused`() {
    let time = [UInt8](repeating: 1, count: 7)
    let hash = [UInt8](repeating: 1, count: 32)
    expect(invoiceFailure(signed(time)), is: .missing(.paymentHash))
    expect(invoiceFailure(signed(time + field(.paymentHash, bytes: hash))), is: .missing(.paymentSecret))
    let both = field(.paymentHash, bytes: hash) + field(.paymentSecret, bytes: hash)
    expect(invoiceFailure(signed(time + both)), is: .missing(.text))
    expect(invoiceFailure(signed(needed + field(.textHash, bytes: hash))), is: .twoTexts)
  }

  @Test func `A payee that is off the curve or not the signer is refused`() {
    expect(
      invoiceFailure(signed(needed + field(.payee, bytes: [UInt8](repeating: 9, count: 33)))),
      is: .badField(.payee))
    var fixture = InvoiceFixture(seed: 3)
    let other = fixture.key().publicKey
    expect(invoiceFailure(signed(needed + field(.payee, bytes: other.bytes))), is: .signatureIsWrong)
    #expect(invoiceFailure(signed(needed + field(.payee, bytes: key.publicKey.bytes))) == nil)
  }

  @Test func `A recovery id above 3 is refused`() {
    var writer = BitWriter()
    writer.put(needed)
    writer.bytes([UInt8](repeating: 1, count: 64) + [4])
    expect(invoiceFailure(Bech32.encode(prefix: Self.prefix, words: writer.words)), is: .signerIsUnknown)
  }

  @Test func `A feature without its dependency, or an unknown even one, is refused`() {
    func failure(_ bits: [Int]) -> InvoiceError? {
      invoiceFailure(signed(needed + field(.features, Features(bits).words)))
    }
    #expect(failure([8, 14, 17]) == nil)
    expect(failure([8, 17]), is: .featureWithoutAnother)
    #expect(failure([9, 15, 16]) == nil)
    expect(failure([8, 14, 26]), is: .unknownFeature(26))
    #expect(failure([8, 14, 27]) == nil)
    expect(failure([5114]), is: .unknownFeature(5114))
  }

  @Test func `Of two fields of one kind the first counts`() throws {
    let second = field(.text, bytes: [66]) + field(.paymentHash, bytes: [UInt8](repeating: 9, count: 32))
    let fields = try SignedInvoice(decoding: signed(needed + second)).fields
    expect(fields.purpose, is: .text("A"))
    expect(fields.paymentHash.bytes.first, is: 1)
  }

  @Test func `A refusal is one line of printable text`() {
    for error in [
      invoiceFailure(""), invoiceFailure("ln1"), invoiceFailure("lnx\u{1b}1qqqqqqqqq"),
      invoiceFailure(signed(needed, prefix: "ln~~")),
    ] {
      let sentence = error?.description ?? ""
      #expect(!sentence.isEmpty)
      #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 })
    }
  }
}
