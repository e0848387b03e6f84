// Lightning/Bitcoin: transactions, scripts and addresses as text and bytes, for channels and invoices. Without a chain.

import Crypto

/// A transaction (BIP 144).
public struct BitcoinTransaction: Hashable, Codable, Sendable {
  public var version: UInt32
  public var inputs: [TransactionInput]
  public var outputs: [TransactionOutput]
  public var lockTime: UInt32

  private static let marker: UInt8 = 0
  private static let flag: UInt8 = 1

  public init(
    version: UInt32 = 2, inputs: [TransactionInput], outputs: [TransactionOutput], lockTime: UInt32 = 0
  ) {
    self.version = version
    self.inputs = inputs
    self.outputs = outputs
    self.lockTime = lockTime
  }

  /// The hash without witnesses: known before the transaction is signed.
  public var id: TransactionID {
    TransactionID(hash: SHA256.hash(SHA256.hash(encodedWithoutWitnesses()).bytes))
  }

  public var weight: Int { 3 * encodedWithoutWitnesses().count + encoded().count }

  // MARK: Writing

  /// With witnesses, if any.
  public func encoded() -> [UInt8] { encoded(withWitnesses: inputs.contains { !$0.witness.isEmpty }) }

  public func encodedWithoutWitnesses() -> [UInt8] { encoded(withWitnesses: false) }

  private func encoded(withWitnesses: Bool) -> [UInt8] {
    var writer = TransactionWriter()
    writer.number(UInt64(version), 4)
    if withWitnesses { writer.put([Self.marker, Self.flag]) }
    writer.compactSize(inputs.count)
    for input in inputs { input.write(to: &writer) }
    writer.compactSize(outputs.count)
    for output in outputs { output.write(to: &writer) }
    if withWitnesses { for input in inputs { input.writeWitness(to: &writer) } }
    writer.number(UInt64(lockTime), 4)
    return writer.bytes
  }

  // MARK: Reading

  /// Strict: numbers in their shortest form, the marker only with witnesses, no bytes after the end.
  public init(decoding bytes: [UInt8]) throws(TransactionError) {
    var reader = TransactionReader(bytes)
    version = try reader.u32()
    var hasWitnesses = false
    guard let (marker, flag) = reader.next else { throw .truncated }
    if marker == Self.marker {
      // A transaction without inputs would begin like the marker, but is invalid.
      guard flag != 0 else { throw .noInputs }
      guard flag == Self.flag else { throw .unknownFlag(flag) }
      hasWitnesses = true
      _ = try reader.take(2)
    }
    inputs = []
    for _ in 0..<(try reader.count(ofSize: TransactionInput.smallestSize)) {
      inputs.append(try TransactionInput(reader: &reader))
    }
    guard !inputs.isEmpty else { throw .noInputs }
    outputs = []
    for _ in 0..<(try reader.count(ofSize: TransactionOutput.smallestSize)) {
      outputs.append(try TransactionOutput(reader: &reader))
    }
    guard !outputs.isEmpty else { throw .noOutputs }
    if hasWitnesses {
      for index in inputs.indices { try inputs[index].readWitness(&reader) }
      guard inputs.contains(where: { !$0.witness.isEmpty }) else { throw .noWitnesses }
    }
    lockTime = try reader.u32()
    guard reader.remaining == 0 else { throw .trailingBytes }
  }
}

/// An output of a transaction.
public struct TransactionOutput: Hashable, Codable, Sendable {
  /// 21 million bitcoin.
  public static let mostSatoshis: UInt64 = 2_100_000_000_000_000

  public var satoshis: UInt64
  public var script: OutputScript

  public init(satoshis: UInt64, script: OutputScript) {
    self.satoshis = satoshis
    self.script = script
  }

  /// The smallest encoding.
  static let smallestSize = 8 + 1

  init(reader: inout TransactionReader) throws(TransactionError) {
    satoshis = try reader.number(8)
    guard satoshis <= Self.mostSatoshis else { throw .tooMuchMoney }
    script = OutputScript(try reader.counted())
  }

  func write(to writer: inout TransactionWriter) {
    writer.number(satoshis, 8)
    writer.counted(script.bytes)
  }
}

/// Writes the parts of a Bitcoin transaction in order.
struct TransactionWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Little-endian.
  mutating func number(_ value: UInt64, _ count: Int) {
    for place in 0..<count { bytes.append(UInt8(value >> UInt64(8 * place) & 0xff)) }
  }

  mutating func compactSize(_ value: Int) {
    let size = CompactSize.size(of: value)
    switch size {
    case 1: break
    case 3: bytes.append(0xfd)
    case 5: bytes.append(0xfe)
    default: bytes.append(0xff)
    }
    number(UInt64(value), max(1, size - 1))
  }

  mutating func counted(_ value: Bytes) {
    compactSize(value.count)
    put(value.array)
  }
}

/// An input of a transaction.
public struct TransactionInput: Hashable, Codable, Sendable {
  public var outPoint: OutPoint
  /// Empty for native SegWit.
  public var script: Bytes
  public var sequence: UInt32
  public var witness: [Bytes]

  /// The highest sequence that signals replaceability (BIP 125).
  public static let replaceable: UInt32 = 0xffff_fffd

  public init(
    outPoint: OutPoint, script: Bytes = [], sequence: UInt32 = TransactionInput.replaceable,
    witness: [Bytes] = []
  ) {
    self.outPoint = outPoint
    self.script = script
    self.sequence = sequence
    self.witness = witness
  }

  /// The smallest encoding.
  static let smallestSize = 32 + 4 + 1 + 4

  init(reader: inout TransactionReader) throws(TransactionError) {
    outPoint = OutPoint(transaction: try reader.transactionID(), index: try reader.u32())
    script = try reader.counted()
    sequence = try reader.u32()
    witness = []
  }

  mutating func readWitness(_ reader: inout TransactionReader) throws(TransactionError) {
    for _ in 0..<(try reader.count(ofSize: 1)) { witness.append(try reader.counted()) }
  }

  func write(to writer: inout TransactionWriter) {
    writer.put(outPoint.transaction.hash.bytes)
    writer.number(UInt64(outPoint.index), 4)
    writer.counted(script)
    writer.number(UInt64(sequence), 4)
  }

  func writeWitness(to writer: inout TransactionWriter) {
    writer.compactSize(witness.count)
    for element in witness { writer.counted(element) }
  }
}
