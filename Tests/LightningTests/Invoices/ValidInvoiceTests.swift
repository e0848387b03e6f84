@testable import Lightning

/// BOLT 11, "Examples": each under its heading there.
@Suite("BOLT 11, examples") struct ValidInvoiceTests {
  static let key = Bytes32(hex: "e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734").flatMap {
    PrivateKey($0)
  }!
  private static let payee = "03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad"
  private static let hash = Bytes32(hex: "0001020304050607080900010203040506070809000102030405060708090102")!
  private static let secret = Bytes32([UInt8](repeating: 0x11, count: 32))!
  private static let list =
    "One piece of chocolate cake, one icecream cone, one pickle, one slice of swiss cheese, one slice of "
    + "salami, one lollypop, one piece of cherry pie, one sausage, one cupcake, and one slice of watermelon"
  private static let bitcoin: UInt64 = 100_000_000_000

  private func fields(
    _ purpose: InvoicePurpose, msat: UInt64? = nil, change: (inout InvoiceFields) -> Void = { _ in }
  ) -> InvoiceFields {
    var fields = InvoiceFields(
      network: .mainnet, amountMsat: msat, timestamp: 1_496_314_658, paymentHash: Self.hash,
      paymentSecret: Self.secret, purpose: purpose)
    change(&fields)
    return fields
  }

  private func listed(_ change: (inout InvoiceFields) -> Void = { _ in }) -> InvoiceFields {
    fields(.hash(SHA256.hash(Array(Self.list.utf8))), msat: Self.bitcoin / 50, change: change)
  }

  /// Expects these fields, signed by the examples' node; with `isOurOrder` also that we write the same string.
  private func decodes(_ encoded: String, says fields: InvoiceFields, isOurOrder: Bool = false) throws {
    let invoice = try SignedInvoice(decoding: encoded)
    expect(invoice.fields, is: fields)
    expect(invoice.payee.hex, is: Self.payee)
    let ours = try SignedInvoice(fields, signedBy: Self.key)
    expect(try SignedInvoice(decoding: ours.encoded).fields, is: fields)
    if isOurOrder { expect(ours.encoded, is: encoded) }
  }

  @Test(
    arguments: [
      (
        "The same, on testnet, with a fallback address", InvoiceExample.testnetAddress, .testnet,
        "mk2QpYatsKicvFVuTAQLBryyccRXMUaGHP"
      ),
      (
        "On mainnet, with fallback (P2SH) address", InvoiceExample.scriptAddress, .mainnet,
        "3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX"
      ),
      (
        "On mainnet, with fallback (P2WPKH) address", InvoiceExample.witnessKeyAddress, .mainnet,
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
      ),
      (
        "On mainnet, with fallback (P2WSH) address", InvoiceExample.witnessScriptAddress, .mainnet,
        "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"
      ),
      (
        "On mainnet, with fallback (P2TR) address", InvoiceExample.taprootAddress, .mainnet,
        "bc1pptdvg0d2nj99568qn6ssdy4cygnwuxgw2ukmnwgwz7jpqjz2kszse2s3lm"
      ),
    ] as [(String, String, BitcoinNetwork, String)])
  func `An example with a fallback address is read`(
    heading: String, encoded: String, network: BitcoinNetwork, address: String
  ) throws {
    let fields = try SignedInvoice(decoding: encoded).fields
    expect(fields.network, is: network)
    expect(fields.fallbacks.map { $0.text(on: network) }, is: [address])
    try decodes(
      encoded,
      says: listed {
        $0.network = network
        $0.fallbacks = fields.fallbacks
      })
  }

  @Test
  func
    `Please make a donation of any amount using payment_hash 0001020304050607080900010203040506070809000102030405060708090102 to me @03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad`()
    throws
  {
    try decodes(
      InvoiceExample.donation, says: fields(.text("Please consider supporting this project")),
      isOurOrder: true)
  }

  @Test func `Please send $3 for a cup of coffee to the same peer, within one minute`() throws {
    try decodes(
      InvoiceExample.coffee,
      says: fields(.text("1 cup coffee"), msat: Self.bitcoin / 400) { $0.expirySeconds = 60 },
      isOurOrder: true)
  }

  @Test
  func `Please send 0.0025 BTC for a cup of nonsense (ナンセンス 1杯) to the same peer, within one minute`() throws
  {
    try decodes(
      InvoiceExample.nonsense,
      says: fields(.text("ナンセンス 1杯"), msat: Self.bitcoin / 400) { $0.expirySeconds = 60 },
      isOurOrder: true)
  }

  @Test func `Now send $24 for an entire list of things (hashed)`() throws {
    try decodes(InvoiceExample.list, says: listed(), isOurOrder: true)
  }

  @Test
  func
    `On mainnet, with fallback address 1RustyRX2oai4EYYDpQGWvEL62BBGqN9T with extra routing info to go via nodes 029e03a901b85534ff1e92c43c74431f7ce72046060fcf7a95c37e148f78c77255 then 039e03a901b85534ff1e92c43c74431f7ce72046060fcf7a95c37e148f78c77255`()
    throws
  {
    let point = "9e03a901b85534ff1e92c43c74431f7ce72046060fcf7a95c37e148f78c77255"
    let hint = [
      RouteHop(
        node: try #require(PublicKey(hex: "02" + point)), channel: ShortChannelID(0x01_0203_0405_0607_08),
        baseFeeMsat: 1, feeMillionths: 20, expiryDelta: 3),
      RouteHop(
        node: try #require(PublicKey(hex: "03" + point)), channel: ShortChannelID(0x03_0405_0607_0809_0a),
        baseFeeMsat: 2, feeMillionths: 30, expiryDelta: 4),
    ]
    expect(hint.map(\.channel.description), is: ["66051x263430x1800", "197637x395016x2314"])
    let fallbacks = try SignedInvoice(decoding: InvoiceExample.extraRouting).fields.fallbacks
    expect(fallbacks.map { $0.text(on: .mainnet) }, is: ["1RustyRX2oai4EYYDpQGWvEL62BBGqN9T"])
    try decodes(
      InvoiceExample.extraRouting,
      says: listed {
        $0.fallbacks = fallbacks
        $0.routeHints = [hint]
      }, isOurOrder: true)
  }

  @Test func `Please send 0.00967878534 BTC for a list of items within one week, amount in pico-BTC`() throws
  {
    let hop = RouteHop(
      node: try #require(
        PublicKey(hex: "03d06758583bb5154774a6eb221b1276c9e82d65bbaceca806d90e20c108f4b1c7")),
      channel: ShortChannelID(589_390 << 40 | 3312 << 16 | 1), baseFeeMsat: 1000, feeMillionths: 2500,
      expiryDelta: 40)
    let text =
      "Blockstream Store: 88.85 USD for Blockstream Ledger Nano S x 1, \"Back In My Day\" Sticker x 2, "
      + "\"I Got Lightning Working\" Sticker x 2 and 1 more items"
    try decodes(
      InvoiceExample.pico,
      says: fields(.text(text), msat: 967_878_534) {
        $0.timestamp = 1_572_468_703
        $0.paymentHash = Bytes32(hex: "462264ede7e14047e9b249da94fefc47f41f7d02ee9b091815a5506bc8abf75f")!
        $0.expirySeconds = 604_800
        $0.finalExpiryDelta = 10
        $0.routeHints = [[hop]]
      })
  }

  private var coffeeBeans: InvoiceFields {
    fields(.text("coffee beans"), msat: Self.bitcoin / 40) { $0.features = Features([8, 14, 99]) }
  }

  @Test
  func
    `Please send $30 for coffee beans to the same peer, which supports features 8, 14 and 99, using secret 0x1111111111111111111111111111111111111111111111111111111111111111`()
    throws
  {
    try decodes(InvoiceExample.coffeeBeans, says: coffeeBeans)
    expect(try SignedInvoice(decoding: InvoiceExample.coffeeBeans).fields.features.bits, is: [8, 14, 99])
  }

  @Test func `BOLT 11, coffee beans: Same, but all upper case.`() throws {
    try decodes(InvoiceExample.upperCase, says: coffeeBeans)
    expect(try SignedInvoice(decoding: InvoiceExample.upperCase).encoded, is: InvoiceExample.coffeeBeans)
  }

  @Test func `BOLT 11, coffee beans: Same, but including fields which must be ignored.`() throws {
    try decodes(InvoiceExample.ignoredFields, says: coffeeBeans)
  }

  @Test func `Please send 0.01 BTC with payment metadata 0x01fafaf0`() throws {
    try decodes(
      InvoiceExample.metadata,
      says: fields(.text("payment metadata inside"), msat: Self.bitcoin / 100) {
        $0.metadata = [0x01, 0xfa, 0xfa, 0xf0]
        $0.features = Features([8, 14, 48])
      })
  }

  @Test func `Public-key recovery with high-S signature`() throws {
    let invoice = try SignedInvoice(decoding: InvoiceExample.highS)
    expect(invoice.fields, is: fields(.text("Please consider supporting this project")))
    let low = try SignedInvoice(decoding: InvoiceExample.donation)
    expect(invoice.signature.compact.prefix(32), is: low.signature.compact.prefix(32))
    #expect(invoice.signature.compact != low.signature.compact)
    // A high s with the same recovery id recovers another key.
    #expect(invoice.payee != low.payee)
  }
}
