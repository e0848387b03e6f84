@testable import Lightning

/// Messages of a splice, each kind with and without its records.
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
}
