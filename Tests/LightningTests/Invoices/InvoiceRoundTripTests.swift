@testable import Lightning

@Suite("An invoice that the wallet writes") struct InvoiceRoundTripTests {
  private let signer = ValidInvoiceTests.key

  private func writing(_ change: (inout InvoiceFields) -> Void) -> InvoiceError? {
    var fields = Self.plain
    change(&fields)
    do throws(InvoiceError) {
      _ = try SignedInvoice(fields, signedBy: signer)
      return nil
    } catch { return error }
  }

  private static let plain = InvoiceFields(
    network: .regtest, amountMsat: 5_000_000, timestamp: 1_795_208_192, paymentHash: SHA256.hash([1]),
    paymentSecret: SHA256.hash([2]), purpose: .text("Kaffee ☕"), expirySeconds: 3600, finalExpiryDelta: 18)

  @Test func `An invoice is read back as written, in lower and upper case`() throws {
    var fixture = InvoiceFixture(seed: 11)
    for number in 0..<400 {
      let key = fixture.key()
      let fields = fixture.fields(for: key)
      let written = try SignedInvoice(fields, signedBy: key)
      expect(try SignedInvoice(decoding: written.encoded), is: written, "number \(number)")
      expect(try SignedInvoice(decoding: written.encoded.uppercased()), is: written, "number \(number)")
      expect(written.payee, is: key.publicKey)
    }
  }

  @Test func `An invoice with any one character changed is refused`() throws {
    let good = Array(try SignedInvoice(Self.plain, signedBy: signer).encoded)
    let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l1b")
    for position in good.indices {
      for letter in letters where letter != good[position] {
        var changed = good
        changed[position] = letter
        #expect(invoiceFailure(String(changed)) != nil, "position \(position), \(letter)")
      }
    }
  }

  @Test func `A truncated or extended invoice is refused`() throws {
    let good = try SignedInvoice(Self.plain, signedBy: signer).encoded
    for length in 0..<good.count { #expect(invoiceFailure(String(good.prefix(length))) != nil) }
    for more in ["q", " ", "\n", good] { #expect(invoiceFailure(good + more) != nil) }
  }

  @Test(
    arguments: [
      (1, "10p"), (9, "90p"), (10, "100p"), (100, "1n"), (1000, "10n"), (100_000, "1u"),
      (250_000_000, "2500u"),
      (100_000_000, "1m"), (100_000_000_000, "1"), (2_100_000_000_000_000_000, "21000000"),
      (967_878_534, "9678785340p"), (UInt64.max, "184467440737095516150p"),
    ])
  func `An amount is written in the fewest characters`(msat: UInt64, text: String) throws {
    expect(InvoiceAmount.write(msat: msat), is: text)
    expect(try InvoiceAmount.read(text), is: msat)
  }

  @Test func `An amount in a smaller unit than needed is read`() throws {
    expect(try InvoiceAmount.read("1000m"), is: 100_000_000_000)
    expect(try InvoiceAmount.read("25000000000p"), is: 2_500_000_000)
    expect(try InvoiceAmount.read("1000000000n"), is: 100_000_000_000)
  }

  @Test(
    arguments: [
      ("0", .amountIsMalformed), ("0p", .amountIsMalformed), ("01u", .amountIsMalformed),
      ("m", .amountIsMalformed), ("1mm", .amountIsMalformed), ("1k", .amountIsMalformed),
      ("1m5", .amountIsMalformed), ("-1", .amountIsMalformed), ("1.5m", .amountIsMalformed),
      ("15p", .amountIsNoWholeMsat), ("184467441", .amountIsTooLarge),
      ("184467440737095516160p", .amountIsTooLarge), ("99999999999999999999999", .amountIsTooLarge),
    ] as [(String, InvoiceError)])
  func `An invalid amount is refused when read`(text: String, reason: InvoiceError) {
    #expect(throws: reason) { try InvoiceAmount.read(text) }
  }

  @Test func `The wallet writes no invoice field that invoice readers refuse`() {
    expect(writing { $0.purpose = .text(String(repeating: "x", count: 640)) }, is: .fieldIsTooLong(.text))
    #expect(writing { $0.purpose = .text(String(repeating: "x", count: 639)) } == nil)
    expect(writing { $0.metadata = Bytes(repeating: 1, count: 640) }, is: .fieldIsTooLong(.metadata))
    expect(writing { $0.timestamp = 1 << 35 }, is: .timeIsImpossible)
    #expect(writing { $0.timestamp = (1 << 35) - 1 } == nil)
    expect(writing { $0.amountMsat = 0 }, is: .amountIsMalformed)
    expect(writing { $0.features = Features([100]) }, is: .unknownFeature(100))
    expect(writing { $0.features = Features([17]) }, is: .featureWithoutAnother)
    expect(writing { $0.routeHints = [[]] }, is: .badField(.routeHint))
    var fixture = InvoiceFixture(seed: 1)
    let other = fixture.key().publicKey
    expect(writing { $0.payee = other }, is: .payeeIsAnother)
    let hop = RouteHop(node: other, channel: ShortChannelID(1), expiryDelta: 1)
    expect(
      writing { $0.routeHints = [[RouteHop](repeating: hop, count: 13)] }, is: .fieldIsTooLong(.routeHint))
  }

  @Test func `An invoice expires at its expiry, by default an hour after its timestamp`() {
    var fields = Self.plain
    fields.expirySeconds = 60
    #expect(!fields.isExpired(atWallSeconds: 1_795_208_251))
    #expect(fields.isExpired(atWallSeconds: 1_795_208_252))
    fields.expirySeconds = nil
    expect(fields.expiresAt, is: 1_795_211_792)
    fields.expirySeconds = .max
    expect(fields.expiresAt, is: .max)
  }
}
