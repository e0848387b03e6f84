import Ground

/// BOLT 2 `update_add_htlc`: offers an HTLC.
public struct AddHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  public var amountMsat: UInt64
  public var paymentHash: Bytes32
  public var cltvExpiry: UInt32
  public var onion: OnionPacket
  /// Nil from a peer that does not know the record.
  public var paymentData: PaymentData?
  /// The other records.
  public var extensions: RecordStream

  public init(
    channel: Bytes32, id: UInt64, amountMsat: UInt64, paymentHash: Bytes32, cltvExpiry: UInt32,
    onion: OnionPacket = .zeros, paymentData: PaymentData? = nil, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.id = id
    self.amountMsat = amountMsat
    self.paymentHash = paymentHash
    self.cltvExpiry = cltvExpiry
    self.onion = onion
    self.paymentData = paymentData
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    amountMsat = try reader.u64()
    paymentHash = try reader.bytes32()
    cltvExpiry = try reader.u32()
    onion = try reader.fixed(OnionPacket.self)
    extensions = try reader.records()
    if let record = extensions[PaymentData.recordType] { paymentData = try PaymentData(record: record) }
    extensions.remove(PaymentData.recordType)
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.u64(amountMsat)
    writer.put(paymentHash)
    writer.u32(cltvExpiry)
    writer.put(onion)
    var all = extensions
    all.remove(PaymentData.recordType)
    if let paymentData { all.set(PaymentData.recordType, paymentData.record) }
    writer.records(all)
  }
}

/// The onion packet of an HTLC (BOLT 4).
public struct OnionPacket: FixedBytes {
  public static let size = 1366
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }

  /// In a journal without the zeros at its end, which are most of our packets.
  public init(from decoder: any Decoder) throws {
    let written = try Bytes(from: decoder)
    let zeros = [UInt8](repeating: 0, count: max(0, Self.size - written.count))
    guard let packet = OnionPacket(written.array + zeros) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "an onion packet has at most \(Self.size) bytes"))
    }
    self = packet
  }

  public func encode(to encoder: any Encoder) throws {
    let end = bytes.array.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    try Bytes(Array(bytes.array[..<end])).encode(to: encoder)
  }
}
