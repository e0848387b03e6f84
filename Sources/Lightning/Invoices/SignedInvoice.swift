// Lightning/Invoices: BOLT 11 invoices, read and written, not stored.

import Crypto
import Ground

/// A BOLT 11 invoice: its text, its fields, and its payee. Every value has a valid checksum, a valid signature, and
/// all fields that a payer needs.
public struct SignedInvoice: Hashable, Sendable {
  public let fields: InvoiceFields
  /// The node that has signed the invoice and is paid.
  public let payee: PublicKey
  public let signature: RecoverableSignature
  /// In lower case.
  public let encoded: String

  private static let signatureWords = (RecoverableSignature.compactSize + 1) * 8 / 5
  private static let timestampWords = 7
  private static let beginning = "ln"
  /// The longest part of an unknown network's name in a message.
  private static let nameMax = 8

  public var paymentHash: Bytes32 { fields.paymentHash }
  public var amountMsat: UInt64? { fields.amountMsat }

  // MARK: Writing

  public init(_ fields: InvoiceFields, signedBy key: PrivateKey) throws(InvoiceError) {
    guard fields.payee == nil || fields.payee == key.publicKey else { throw .payeeIsAnother }
    guard fields.amountMsat != 0 else { throw .amountIsMalformed }
    try fields.features.checkInInvoice()
    let amount = fields.amountMsat.map { InvoiceAmount.write(msat: $0) } ?? ""
    let prefix = Self.beginning + fields.network.prefix + amount
    var writer = BitWriter()
    writer.put(try InvoiceFieldWriter.words(of: fields))
    signature = key.sign(Self.digest(prefix, writer.words))
    writer.bytes(signature.compact + [signature.recovery])
    self.fields = fields
    payee = key.publicKey
    encoded = Bech32.encode(prefix: prefix, words: writer.words)
  }

  private static func digest(_ prefix: String, _ words: some Sequence<UInt8>) -> Bytes32 {
    SHA256.hash(Array(prefix.utf8) + Bech32.paddedBytes(of: words))
  }

  // MARK: Reading

  public init(decoding word: String) throws(InvoiceError) {
    guard word.utf8.prefix(2).map({ $0 | 0x20 }) == Array(Self.beginning.utf8) else { throw .notAnInvoice }
    let (prefix, words) = try Self.parts(of: word)
    let (network, amountMsat) = try Self.readPrefix(prefix)
    guard words.count >= Self.timestampWords + Self.signatureWords else { throw .tooShort }
    let data = words.dropLast(Self.signatureWords)
    let signed = Bech32.bytes(of: words.suffix(Self.signatureWords))
    guard let recovery = signed.last,
      let signature = RecoverableSignature(Array(signed.dropLast()), recovery: recovery)
    else { throw .signerIsUnknown }
    let fields = try InvoiceFieldReader.fields(in: data, on: network, amountMsat: amountMsat)
    let digest = Self.digest(prefix, data)
    if let named = fields.payee {
      guard signature.isValid(for: digest, by: named) else { throw .signatureIsWrong }
      payee = named
    } else {
      guard let signer = signature.signer(of: digest) else { throw .signerIsUnknown }
      payee = signer
    }
    self.fields = fields
    self.signature = signature
    encoded = Self.lowercased(word)
  }

  private static func parts(of word: String) throws(InvoiceError) -> (prefix: String, words: [UInt8]) {
    do throws(Bech32Error) {
      let (prefix, words, variant) = try Bech32.decode(word)
      guard variant == .bech32 else { throw .checksumIsWrong }
      return (prefix, words)
    } catch { throw InvoiceError(error) }
  }

  private static func readPrefix(
    _ prefix: String
  ) throws(InvoiceError) -> (network: BitcoinNetwork, amountMsat: UInt64?) {
    let behind = prefix.dropFirst(beginning.count)
    let name = behind.prefix { !("0"..."9").contains($0) }
    guard let network = BitcoinNetwork.allCases.first(where: { $0.prefix == name }) else {
      throw .unknownNetwork(beginning + name.prefix(nameMax))
    }
    let amount = behind.dropFirst(name.count)
    return (network, amount.isEmpty ? nil : try InvoiceAmount.read(amount))
  }

  /// The text is ASCII, as it was decoded.
  private static func lowercased(_ word: String) -> String {
    String(
      decoding: word.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}

/// The amount in an invoice's prefix: a number of bitcoin, or of a fraction with a letter.
enum InvoiceAmount {
  private struct Part {
    var letter: String
    var msat: UInt64
  }

  private static let msatPerBitcoin: UInt64 = 100_000_000_000
  /// The largest first.
  private static let parts = [
    Part(letter: "m", msat: msatPerBitcoin / 1000), Part(letter: "u", msat: msatPerBitcoin / 1_000_000),
    Part(letter: "n", msat: msatPerBitcoin / 1_000_000_000),
  ]

  /// The shortest form.
  static func write(msat: UInt64) -> String {
    if msat.isMultiple(of: msatPerBitcoin) { return "\(msat / msatPerBitcoin)" }
    for part in parts where msat.isMultiple(of: part.msat) { return "\(msat / part.msat)\(part.letter)" }
    // `p` is a tenth of a millisatoshi.
    return "\(msat)0p"
  }

  static func read(_ text: some StringProtocol) throws(InvoiceError) -> UInt64 {
    let characters = Array(text.utf8)
    let digits = characters.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let letter = String(decoding: characters.dropFirst(digits.count), as: UTF8.self)
    guard let first = digits.first, first != UInt8(ascii: "0") else { throw .amountIsMalformed }
    if letter == "p" {
      guard digits.last == UInt8(ascii: "0") else { throw .amountIsNoWholeMsat }
      return try number(digits.dropLast(), times: 1)
    }
    if letter.isEmpty { return try number(digits, times: msatPerBitcoin) }
    guard let part = parts.first(where: { $0.letter == letter }) else { throw .amountIsMalformed }
    return try number(digits, times: part.msat)
  }

  private static func number(_ digits: ArraySlice<UInt8>, times unit: UInt64) throws(InvoiceError) -> UInt64 {
    guard let count = UInt64(String(decoding: digits, as: UTF8.self)) else { throw .amountIsTooLarge }
    let (msat, overflowed) = count.multipliedReportingOverflow(by: unit)
    guard !overflowed else { throw .amountIsTooLarge }
    return msat
  }
}

/// The data of an invoice up to its signature.
struct InvoiceFieldWriter {
  private var writer = BitWriter()
  private static let fieldWordsMax = 1023

  static func words(of fields: InvoiceFields) throws(InvoiceError) -> [UInt8] {
    var writer = InvoiceFieldWriter()
    try writer.write(fields)
    return writer.writer.words
  }

  private mutating func write(_ fields: InvoiceFields) throws(InvoiceError) {
    guard fields.timestamp <= InvoiceFields.timestampMax else { throw .timeIsImpossible }
    writer.number(fields.timestamp, words: 7)
    try bytes(.paymentSecret, fields.paymentSecret.bytes)
    try bytes(.paymentHash, fields.paymentHash.bytes)
    switch fields.purpose {
    case .text(let text): try bytes(.text, Array(text.utf8))
    case .hash(let hash): try bytes(.textHash, hash.bytes)
    }
    if let metadata = fields.metadata { try bytes(.metadata, metadata.array) }
    if let payee = fields.payee { try bytes(.payee, payee.bytes) }
    if let seconds = fields.expirySeconds { try number(.expiry, seconds) }
    if let delta = fields.finalExpiryDelta { try number(.finalExpiryDelta, delta) }
    for fallback in fields.fallbacks {
      var content = BitWriter()
      content.put([fallback.version])
      content.bytes(fallback.program.array)
      try field(.fallback, content.words)
    }
    for hint in fields.routeHints {
      guard !hint.isEmpty else { throw .badField(.routeHint) }
      try bytes(.routeHint, hint.flatMap(\.encoded))
    }
    let features = fields.features.words
    if !features.isEmpty { try field(.features, features) }
  }

  private mutating func bytes(_ tag: InvoiceTag, _ bytes: [UInt8]) throws(InvoiceError) {
    var content = BitWriter()
    content.bytes(bytes)
    try field(tag, content.words)
  }

  private mutating func number(_ tag: InvoiceTag, _ value: UInt64) throws(InvoiceError) {
    var content = BitWriter()
    content.shortest(value)
    try field(tag, content.words)
  }

  private mutating func field(_ tag: InvoiceTag, _ words: [UInt8]) throws(InvoiceError) {
    guard words.count <= Self.fieldWordsMax else { throw .fieldIsTooLong(tag) }
    writer.put([tag.rawValue])
    writer.number(UInt64(words.count), words: 2)
    writer.put(words)
  }
}

/// Writes numbers and bytes as words of five bits, the highest bit first.
struct BitWriter {
  private(set) var words: [UInt8] = []

  mutating func put(_ more: some Sequence<UInt8>) { words.append(contentsOf: more) }

  /// The lowest bits of a number, in `count` words.
  mutating func number(_ value: UInt64, words count: Int) {
    for place in (0..<count).reversed() {
      words.append(place > 12 ? 0 : UInt8(value >> UInt64(5 * place) & 31))
    }
  }

  /// A number in the fewest words; none for 0.
  mutating func shortest(_ value: UInt64) {
    number(value, words: (UInt64.bitWidth - value.leadingZeroBitCount + 4) / 5)
  }

  /// The bytes, padded with zeros to a whole word.
  mutating func bytes(_ bytes: some Sequence<UInt8>) { words.append(contentsOf: Bech32.words(of: bytes)) }
}

/// The content of an invoice, without its signature.
public struct InvoiceFields: Hashable, Sendable {
  public var network: BitcoinNetwork
  /// Nil if the payer chooses.
  public var amountMsat: UInt64?
  /// The creation time in seconds since 1970; at most 35 bits.
  public var timestamp: UInt64
  public var paymentHash: Bytes32
  /// Proves to the payee that the payer has the invoice.
  public var paymentSecret: Bytes32
  public var purpose: InvoicePurpose
  /// Nil without the field: then an hour.
  public var expirySeconds: UInt64?
  /// In blocks. Nil without the field: then 18.
  public var finalExpiryDelta: UInt64?
  public var metadata: Bytes?
  /// Nil without the field: the signature also gives it.
  public var payee: PublicKey?
  /// The preferred one first.
  public var fallbacks: [BitcoinAddress]
  /// Routes over private channels to the payee.
  public var routeHints: [[RouteHop]]
  public var features: Features

  public static let expirySecondsStandard: UInt64 = 3600
  public static let finalExpiryDeltaStandard: UInt64 = 18
  static let timestampMax: UInt64 = (1 << 35) - 1

  public init(
    network: BitcoinNetwork, amountMsat: UInt64?, timestamp: UInt64, paymentHash: Bytes32,
    paymentSecret: Bytes32, purpose: InvoicePurpose, expirySeconds: UInt64? = nil,
    finalExpiryDelta: UInt64? = nil, metadata: Bytes? = nil, payee: PublicKey? = nil,
    fallbacks: [BitcoinAddress] = [], routeHints: [[RouteHop]] = [], features: Features = .ofEveryInvoice
  ) {
    self.network = network
    self.amountMsat = amountMsat
    self.timestamp = timestamp
    self.paymentHash = paymentHash
    self.paymentSecret = paymentSecret
    self.purpose = purpose
    self.expirySeconds = expirySeconds
    self.finalExpiryDelta = finalExpiryDelta
    self.metadata = metadata
    self.payee = payee
    self.fallbacks = fallbacks
    self.routeHints = routeHints
    self.features = features
  }

  /// Seconds since 1970.
  public var expiresAt: Int64 {
    let (end, overflowed) = timestamp.addingReportingOverflow(expirySeconds ?? Self.expirySecondsStandard)
    return overflowed ? .max : Int64(clamping: end)
  }

  public func isExpired(atWallSeconds now: Int64) -> Bool { now >= expiresAt }
}

/// The description of an invoice.
public enum InvoicePurpose: Hashable, Sendable {
  case text(String)
  /// The SHA-256 of a description that is not in the invoice.
  case hash(Bytes32)
}
