import Ground
import Crypto

@testable import Lightning

/// Messages of a splice: one of each kind, and any number of random ones.
enum SpliceMessages {
  static let channel = SHA256.hash([1])
  static let transaction = TransactionID(hash: SHA256.hash([2]))
  static let key = CurvePoint([2] + SHA256.hash([3]).bytes) ?? .zeros

  static let all: [Message] = [
    .quiescence(Quiescence(channel: channel, isInitiator: true)),
    .quiescence(Quiescence(channel: channel, isInitiator: false)),
    .spliceInit(
      SpliceInit(channel: channel, contribution: -20_724, feeratePerKw: 1000, lockTime: 7, fundingKey: key)),
    .spliceInit(
      SpliceInit(
        channel: channel, contribution: .min, feeratePerKw: 253, fundingKey: key, needsConfirmedInputs: true)),
    .spliceAck(SpliceAck(channel: channel, contribution: 5, fundingKey: key, needsConfirmedInputs: true)),
    .spliceAck(SpliceAck(channel: channel, fundingKey: key)),
    .addInput(AddInput(channel: channel, serial: 4, outputIndex: 1, sharedInput: transaction)),
    .addInput(AddInput(channel: channel, serial: 3, previous: [1, 2, 3], outputIndex: 0)),
    .addOutput(AddOutput(channel: channel, serial: 2, satoshis: 20_000, script: [0, 1, 7])),
    .transactionComplete(TransactionComplete(channel: channel)),
    .transactionSignatures(
      TransactionSignatures(channel: channel, transaction: transaction, sharedInputSignature: .zeros)),
    .transactionSignatures(
      TransactionSignatures(channel: channel, transaction: transaction, witnesses: [[1, 1, 5], [0]])),
    .transactionAbort(TransactionAbort(channel: channel, text: "no")),
    .spliceLocked(SpliceLocked(channel: channel, transaction: transaction)),
    .commitmentSigned(CommitmentSigned(channel: channel, htlcSignatures: [.zeros], funding: transaction)),
    .channelReestablish(
      reestablish(
        NextFunding(transaction: transaction, needsCommitment: true), FundingLocked(transaction: transaction))
    ),
    .channelReestablish(reestablish(nil, FundingLocked(transaction: transaction, flags: 1))),
  ]

  static func reestablish(_ next: NextFunding?, _ locked: FundingLocked?) -> ChannelReestablish {
    ChannelReestablish(
      channel: channel, nextCommitmentNumber: 1, nextRevocationNumber: 0, yourLastPerCommitmentSecret: .zero,
      nextFunding: next, fundingLocked: locked)
  }

  static func random(_ random: inout SeededGenerator) -> Message {
    let channel = SHA256.hash([UInt8(random.below(256))])
    let transaction = TransactionID(hash: SHA256.hash([UInt8(random.below(256))]))
    let others = records(&random)
    switch random.below(10) {
    case 0: return .quiescence(Quiescence(channel: channel, isInitiator: random.oneIn(2), extensions: others))
    case 1:
      return .spliceInit(
        SpliceInit(
          channel: channel, contribution: Int64(bitPattern: random.next()), feeratePerKw: random.word(),
          lockTime: random.word(), fundingKey: key, needsConfirmedInputs: random.oneIn(2), extensions: others)
      )
    case 2:
      return .spliceAck(
        SpliceAck(
          channel: channel, contribution: Int64(bitPattern: random.next()), fundingKey: key,
          needsConfirmedInputs: random.oneIn(2), extensions: others))
    case 3:
      return .addInput(
        AddInput(
          channel: channel, serial: random.next(), previous: random.bytes(300), outputIndex: random.word(),
          sequence: random.word(), sharedInput: random.oneIn(2) ? transaction : nil, extensions: others))
    case 4:
      return .addOutput(
        AddOutput(
          channel: channel, serial: random.next(), satoshis: random.next(), script: random.bytes(60),
          extensions: others))
    case 5: return .transactionComplete(TransactionComplete(channel: channel, extensions: others))
    case 6:
      return .transactionSignatures(
        TransactionSignatures(
          channel: channel, transaction: transaction,
          witnesses: (0..<random.below(5)).map { _ in random.bytes(90) },
          sharedInputSignature: random.oneIn(2) ? .zeros : nil, extensions: others))
    case 7:
      return .transactionAbort(TransactionAbort(channel: channel, data: random.bytes(80), extensions: others))
    case 8: return .spliceLocked(SpliceLocked(channel: channel, transaction: transaction, extensions: others))
    default:
      var next = NextFunding(transaction: transaction, needsCommitment: true)
      next.flags = UInt8(random.below(256))
      let locked = FundingLocked(transaction: transaction, flags: UInt8(random.below(256)))
      return .channelReestablish(reestablish(random.oneIn(2) ? next : nil, random.oneIn(2) ? locked : nil))
    }
  }

  private static func records(_ random: inout SeededGenerator) -> RecordStream {
    var stream = RecordStream()
    for type in [7, 9, 0x1_0001] as [UInt64] where random.oneIn(3) { stream.set(type, random.bytes(300)) }
    return stream
  }
}

extension SeededGenerator {
  fileprivate mutating func word() -> UInt32 { UInt32(truncatingIfNeeded: next()) }

  fileprivate mutating func bytes(_ most: Int) -> Bytes {
    Bytes((0..<below(most + 1)).map { _ in UInt8(below(256)) })
  }
}
