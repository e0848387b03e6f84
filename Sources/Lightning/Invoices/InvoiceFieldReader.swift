import Crypto
import Ground

/// Collects the fields of an invoice. Of several of a kind the first is used, as payees put the preferred one first.
struct InvoiceFieldReader {
  private var paymentHash: Bytes32?
  private var paymentSecret: Bytes32?
  private var text: String?
  private var textHash: Bytes32?
  private var expirySeconds: UInt64?
  private var finalExpiryDelta: UInt64?
  private var metadata: Bytes?
  private var payee: PublicKey?
  private var fallbacks: [BitcoinAddress] = []
  private var routeHints: [[RouteHop]] = []
  private var features: Features?

  /// The number of words for 256 bits, and for a 33-byte node id.
  private static let hashWords = 52
  private static let nodeWords = 53

  /// Reads all words before the signature.
  static func fields(
    in words: some Collection<UInt8>, on network: BitcoinNetwork, amountMsat: UInt64?
  ) throws(InvoiceError) -> InvoiceFields {
    var reader = BitReader(words)
    var collected = InvoiceFieldReader()
    let timestamp = try reader.number(words: 7)
    while !reader.isAtEnd {
      let tag = UInt8(try reader.number(words: 1))
      let content = try reader.take(Int(try reader.number(words: 2)))
      // An unknown field is skipped.
      if let tag = InvoiceTag(rawValue: tag) { try collected.take(tag, content) }
    }
    return try collected.fields(on: network, amountMsat: amountMsat, timestamp: timestamp)
  }

  /// Skips a hash, a secret or a node of a wrong length, as in BOLT 11's examples. Missing fields are an error at
  /// the end.
  private mutating func take(_ tag: InvoiceTag, _ words: ArraySlice<UInt8>) throws(InvoiceError) {
    switch tag {
    case .paymentHash: paymentHash = paymentHash ?? Self.hash(words)
    case .paymentSecret: paymentSecret = paymentSecret ?? Self.hash(words)
    case .textHash: textHash = textHash ?? Self.hash(words)
    case .payee:
      guard words.count == Self.nodeWords else { return }
      guard let node = PublicKey(Bech32.bytes(of: words)) else { throw .badField(tag) }
      payee = payee ?? node
    case .text:
      guard let words = String(validating: Bech32.bytes(of: words), as: UTF8.self) else {
        throw .textIsNotUTF8
      }
      text = text ?? words
    case .metadata: metadata = metadata ?? Bytes(Bech32.bytes(of: words))
    case .expiry:
      let seconds = try Self.number(tag, words)
      expirySeconds = expirySeconds ?? seconds
    case .finalExpiryDelta:
      let delta = try Self.number(tag, words)
      finalExpiryDelta = finalExpiryDelta ?? delta
    case .fallback: try takeFallback(words)
    case .routeHint: routeHints.append(try Self.hint(words))
    case .features:
      guard words.first != 0 else { throw .notMinimal(tag) }
      features = features ?? Features(words: words)
    }
  }

  private mutating func takeFallback(_ words: ArraySlice<UInt8>) throws(InvoiceError) {
    guard let version = words.first else { throw .badField(.fallback) }
    guard BitcoinAddress.isKnown(version: version) else { return }
    let program = Bech32.bytes(of: words.dropFirst())
    guard let address = BitcoinAddress(version: version, program: program) else { throw .badField(.fallback) }
    fallbacks.append(address)
  }

  private static func hash(_ words: ArraySlice<UInt8>) -> Bytes32? {
    words.count == hashWords ? Bytes32(Bech32.bytes(of: words)) : nil
  }

  private static func number(_ tag: InvoiceTag, _ words: ArraySlice<UInt8>) throws(InvoiceError) -> UInt64 {
    guard words.first != 0 else { throw .notMinimal(tag) }
    var value: UInt64 = 0
    for word in words {
      guard value >> 59 == 0 else { throw .numberIsTooLarge(tag) }
      value = value << 5 | UInt64(word)
    }
    return value
  }

  private static func hint(_ words: ArraySlice<UInt8>) throws(InvoiceError) -> [RouteHop] {
    let bytes = Bech32.bytes(of: words)
    guard !bytes.isEmpty, bytes.count.isMultiple(of: RouteHop.size) else { throw .badField(.routeHint) }
    var hops: [RouteHop] = []
    for start in stride(from: 0, to: bytes.count, by: RouteHop.size) {
      guard let hop = RouteHop(Array(bytes[start..<start + RouteHop.size])) else {
        throw .badField(.routeHint)
      }
      hops.append(hop)
    }
    return hops
  }

  private func fields(
    on network: BitcoinNetwork, amountMsat: UInt64?, timestamp: UInt64
  ) throws(InvoiceError) -> InvoiceFields {
    guard let paymentHash else { throw .missing(.paymentHash) }
    guard let paymentSecret else { throw .missing(.paymentSecret) }
    let purpose: InvoicePurpose
    switch (text, textHash) {
    case (let text?, nil): purpose = .text(text)
    case (nil, let hash?): purpose = .hash(hash)
    case (nil, nil): throw .missing(.text)
    case (_?, _?): throw .twoTexts
    }
    let features = features ?? Features()
    try features.checkInInvoice()
    return InvoiceFields(
      network: network, amountMsat: amountMsat, timestamp: timestamp, paymentHash: paymentHash,
      paymentSecret: paymentSecret, purpose: purpose, expirySeconds: expirySeconds,
      finalExpiryDelta: finalExpiryDelta, metadata: metadata, payee: payee, fallbacks: fallbacks,
      routeHints: routeHints, features: features)
  }
}

/// Reads words of five bits in order. Any words give a value or an error, never a trap.
struct BitReader {
  private var rest: ArraySlice<UInt8>

  init(_ words: some Collection<UInt8>) { rest = ArraySlice(words) }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(InvoiceError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .fieldIsCut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// At most twelve words, which fit into 64 bits.
  mutating func number(words count: Int) throws(InvoiceError) -> UInt64 {
    try take(count).reduce(0) { $0 << 5 | UInt64($1) }
  }
}

/// One hop of a route hint.
public struct RouteHop: Hashable, Sendable {
  /// The node at the channel's start.
  public var node: PublicKey
  public var channel: ShortChannelID
  public var baseFeeMsat: UInt32
  /// Per million forwarded.
  public var feeMillionths: UInt32
  public var expiryDelta: UInt16

  static let size = PublicKey.size + 8 + 4 + 4 + 2

  public init(
    node: PublicKey, channel: ShortChannelID, baseFeeMsat: UInt32 = 0, feeMillionths: UInt32 = 0,
    expiryDelta: UInt16
  ) {
    self.node = node
    self.channel = channel
    self.baseFeeMsat = baseFeeMsat
    self.feeMillionths = feeMillionths
    self.expiryDelta = expiryDelta
  }

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.write(CurvePoint(node))
    writer.write(channel.number)
    writer.write(baseFeeMsat)
    writer.write(feeMillionths)
    writer.write(expiryDelta)
    return writer.bytes
  }

  /// Nil unless these are the bytes of one hop with a valid node id.
  init?(_ bytes: [UInt8]) {
    var reader = WireReader(bytes)
    guard let point: CurvePoint = try? reader.read(), let node = PublicKey(point.bytes.array),
      let channel: UInt64 = try? reader.read(), let base: UInt32 = try? reader.read(),
      let share: UInt32 = try? reader.read(), let delta: UInt16 = try? reader.read(), reader.isAtEnd
    else { return nil }
    self.init(
      node: node, channel: ShortChannelID(channel), baseFeeMsat: base, feeMillionths: share,
      expiryDelta: delta)
  }
}

/// A channel's place in the chain: block, transaction, output. An alias is a number of the same form without a
/// place.
public struct ShortChannelID: Hashable, Sendable, CustomStringConvertible {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }

  /// `589390x3312x1`.
  public var description: String { "\(number >> 40)x\(number >> 16 & 0xff_ffff)x\(number & 0xffff)" }
}
