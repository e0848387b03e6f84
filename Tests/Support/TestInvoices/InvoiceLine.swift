import Crypto
import Ground
import Lightning

/// An invoice as one line of JSON. A line with `word` asks for the fields, one with `key` for the word.
struct InvoiceLine: Codable {
  struct Hop: Codable {
    var node: String
    var channel: String
    var baseFeeMsat: UInt32
    var feeMillionths: UInt32
    var expiryDelta: UInt16
  }

  struct Fallback: Codable {
    var version: UInt8
    var program: String
  }

  struct Unreadable: Error, CustomStringConvertible { var description: String }

  var error: String?
  var word: String?
  var key: String?
  var network: String?
  var amountMsat: UInt64?
  var timestamp: UInt64?
  var paymentHash: String?
  var paymentSecret: String?
  var text: String?
  var textHash: String?
  var expirySeconds: UInt64?
  var finalExpiryDelta: UInt64?
  var metadata: String?
  /// The payee, whether the invoice names it or not.
  var payee: String?
  var namesPayee: Bool?
  var fallbacks: [Fallback]?
  var routeHints: [[Hop]]?
  var features: [Int]?
  /// r, s and the recovery id.
  var signature: String?

  func answer() throws -> InvoiceLine {
    if let word { return InvoiceLine(try SignedInvoice(decoding: word)) }
    guard let key = key.flatMap({ Bytes32(hex: $0) }).flatMap({ PrivateKey($0) }) else {
      throw Unreadable(description: "a line has neither a word nor a key")
    }
    return InvoiceLine(word: try SignedInvoice(try fields(signer: key.publicKey), signedBy: key).encoded)
  }
}

extension InvoiceLine {
  init(_ invoice: SignedInvoice) {
    let fields = invoice.fields
    network = fields.network.prefix
    amountMsat = fields.amountMsat
    timestamp = fields.timestamp
    paymentHash = fields.paymentHash.hex
    paymentSecret = fields.paymentSecret.hex
    switch fields.purpose {
    case .text(let words): text = words
    case .hash(let hash): textHash = hash.hex
    }
    expirySeconds = fields.expirySeconds
    finalExpiryDelta = fields.finalExpiryDelta
    metadata = fields.metadata?.hex
    payee = invoice.payee.hex
    namesPayee = fields.payee != nil
    fallbacks = fields.fallbacks.map { Fallback(version: $0.version, program: $0.program.hex) }
    routeHints = fields.routeHints.map { $0.map(Hop.init) }
    features = fields.features.bits
    signature = Hexadecimal.encode(invoice.signature.compact + [invoice.signature.recovery])
  }

  func fields(signer: PublicKey) throws -> InvoiceFields {
    let purpose: InvoicePurpose
    if let text {
      purpose = .text(text)
    } else {
      purpose = .hash(try bytes32(textHash, "textHash"))
    }
    return InvoiceFields(
      network: try needed(BitcoinNetwork.allCases.first { $0.prefix == network }, "network"),
      amountMsat: amountMsat, timestamp: try needed(timestamp, "timestamp"),
      paymentHash: try bytes32(paymentHash, "paymentHash"),
      paymentSecret: try bytes32(paymentSecret, "paymentSecret"), purpose: purpose,
      expirySeconds: expirySeconds, finalExpiryDelta: finalExpiryDelta,
      metadata: try metadata.map { Bytes(try needed(Hexadecimal.decode($0), "metadata")) },
      payee: namesPayee == true ? signer : nil, fallbacks: try (fallbacks ?? []).map { try $0.address() },
      routeHints: try (routeHints ?? []).map { try $0.map { try $0.hop() } },
      features: Features(features ?? []))
  }

  private func bytes32(_ hex: String?, _ name: String) throws -> Bytes32 {
    try needed(hex.flatMap { Bytes32(hex: $0) }, name)
  }
}

private func needed<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw InvoiceLine.Unreadable(description: "\(name) is missing or cannot be one") }
  return value
}

extension InvoiceLine.Fallback {
  fileprivate func address() throws -> BitcoinAddress {
    let program = try needed(Hexadecimal.decode(program), "program")
    return try needed(BitcoinAddress(version: version, program: program), "fallback")
  }
}

extension InvoiceLine.Hop {
  fileprivate init(_ hop: RouteHop) {
    self.init(
      node: hop.node.hex, channel: hop.channel.description, baseFeeMsat: hop.baseFeeMsat,
      feeMillionths: hop.feeMillionths, expiryDelta: hop.expiryDelta)
  }

  fileprivate func hop() throws -> RouteHop {
    let parts = channel.split(separator: "x").compactMap { UInt64($0) }
    guard parts.count == 3 else { throw InvoiceLine.Unreadable(description: "channel is no BLOCKxTXxOUTPUT") }
    return RouteHop(
      node: try needed(PublicKey(hex: node), "node"),
      channel: ShortChannelID(parts[0] << 40 | parts[1] << 16 | parts[2]), baseFeeMsat: baseFeeMsat,
      feeMillionths: feeMillionths, expiryDelta: expiryDelta)
  }
}
