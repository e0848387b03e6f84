import Ground

/// BOLT 2 `stfu`: the sender sends no more updates while the channel is quiescent.
public struct Quiescence: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// False in an answer.
  public var isInitiator: Bool
  public var extensions = RecordStream()

  package static var blank: Quiescence { Quiescence(channel: .zero, isInitiator: false) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &isInitiator)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `splice_init`: begins the replacement of the channel's funding.
public struct SpliceInit: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// The satoshis that the sender adds to its balance; negative for a withdrawal.
  public var contribution: Int64
  /// In satoshis per 1000 weight units.
  public var feeratePerKw: UInt32
  public var lockTime: UInt32 = 0
  public var fundingKey: CurvePoint
  public var needsConfirmedInputs = false
  public var extensions = RecordStream()

  /// BOLT 2 `require_confirmed_inputs`, which has no value.
  fileprivate static let confirmedInputsType: UInt64 = 2

  package static var blank: SpliceInit {
    SpliceInit(channel: .zero, contribution: 0, feeratePerKw: 0, fundingKey: .zeros)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &contribution, &feeratePerKw)
    try coder.fields(&lockTime, &fundingKey)
    try coder.mark(Self.confirmedInputsType, &needsConfirmedInputs)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `splice_ack`: accepts a splice.
public struct SpliceAck: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// The satoshis that the sender adds to its balance; negative for a withdrawal.
  public var contribution: Int64 = 0
  public var fundingKey: CurvePoint
  public var needsConfirmedInputs = false
  public var extensions = RecordStream()

  package static var blank: SpliceAck { SpliceAck(channel: .zero, fundingKey: .zeros) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &contribution, &fundingKey)
    try coder.mark(SpliceInit.confirmedInputsType, &needsConfirmedInputs)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `splice_locked`: the sender has seen enough confirmations of the new funding.
public struct SpliceLocked: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var transaction: TransactionID
  public var extensions = RecordStream()

  package static var blank: SpliceLocked { SpliceLocked(channel: .zero, transaction: .blank) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &transaction)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `tx_add_input`: adds an input to the negotiated transaction.
public struct AddInput: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// Even from the initiator, odd from the other side; inputs are sorted by it.
  public var serial: UInt64
  /// The whole transaction whose output is spent; empty for the channel's funding.
  public var previous: Bytes = []
  public var outputIndex: UInt32
  public var sequence: UInt32 = 0xffff_fffd
  /// The funding transaction, if this input spends the channel's funding.
  public var sharedInput: TransactionID?
  public var extensions = RecordStream()

  /// BOLT 2 `shared_input_txid`; even, so required.
  private static let sharedInputType: UInt64 = 0

  package static var blank: AddInput { AddInput(channel: .zero, serial: 0, outputIndex: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &serial, &previous)
    try coder.fields(&outputIndex, &sequence)
    try coder.record(Self.sharedInputType, &sharedInput)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `tx_add_output`: adds an output to the negotiated transaction.
public struct AddOutput: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// Even from the initiator, odd from the other side; outputs are sorted by it.
  public var serial: UInt64
  public var satoshis: UInt64
  public var script: Bytes
  public var extensions = RecordStream()

  package static var blank: AddOutput { AddOutput(channel: .zero, serial: 0, satoshis: 0, script: []) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &serial, &satoshis, &script)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `tx_complete`: the sender has nothing to add. Sent by both in a row, it ends the negotiation.
public struct TransactionComplete: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var extensions = RecordStream()

  package static var blank: TransactionComplete { TransactionComplete(channel: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&channel)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `tx_signatures`: the other side can broadcast the transaction.
public struct TransactionSignatures: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var transaction: TransactionID
  /// The witnesses of the sender's own inputs in order, each in Bitcoin's encoding.
  public var witnesses: [Bytes] = []
  /// The sender's signature for the input that spends the channel's funding.
  public var sharedInputSignature: Signature?
  public var extensions = RecordStream()

  /// BOLT 2 `shared_input_signature`; even, so required.
  private static let sharedInputType: UInt64 = 0

  package static var blank: TransactionSignatures {
    TransactionSignatures(channel: .zero, transaction: .blank)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &transaction)
    try coder.list(&witnesses, count: UInt16.self)
    try coder.record(Self.sharedInputType, &sharedInputSignature)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `tx_abort`: ends the negotiation of a transaction; the channel stays as it was.
public struct TransactionAbort: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var data: Bytes = []
  public var extensions = RecordStream()

  /// Safe to print, like that of an error.
  public var text: String { ErrorOrWarning(data: data).text }

  package static var blank: TransactionAbort { TransactionAbort(channel: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &data)
    try coder.records(&extensions)
  }
}

extension TransactionAbort {
  init(channel: Bytes32, text: String) { self.init(channel: channel, data: Bytes(Array(text.utf8))) }
}
