// Bitcoin: transactions, scripts and addresses as text and bytes, for channels and invoices. Without a chain.

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
