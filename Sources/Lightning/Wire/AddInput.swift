import Ground

/// BOLT 2 `tx_add_input`: adds an input to the negotiated transaction.
public struct AddInput: Hashable, Codable, Sendable {
  /// BOLT 2 `shared_input_txid`; even, so required.
  public static let sharedInputType: UInt64 = 0

  public var channel: Bytes32
  /// Even from the initiator, odd from the other side; inputs are sorted by it.
  public var serial: UInt64
  /// The whole transaction whose output is spent; empty for the channel's funding.
  public var previous: Bytes
  public var outputIndex: UInt32
  public var sequence: UInt32
  /// The funding transaction, if this input spends the channel's funding.
  public var sharedInput: TransactionID?
  public var extensions: RecordStream

  public init(
    channel: Bytes32, serial: UInt64, previous: Bytes = [], outputIndex: UInt32,
    sequence: UInt32 = 0xffff_fffd,
    sharedInput: TransactionID? = nil, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.serial = serial
    self.previous = previous
    self.outputIndex = outputIndex
    self.sequence = sequence
    self.sharedInput = sharedInput
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    serial = try reader.u64()
    previous = try reader.counted()
    outputIndex = try reader.u32()
    sequence = try reader.u32()
    extensions = try reader.records(knowing: [AddInput.sharedInputType])
    sharedInput = try extensions.takeTransaction(AddInput.sharedInputType)
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(serial)
    writer.counted(previous)
    writer.u32(outputIndex)
    writer.u32(sequence)
    writer.records(extensions.with(AddInput.sharedInputType, sharedInput.map { Bytes($0.hash.bytes) }))
  }
}
