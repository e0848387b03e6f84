import Ground
import Crypto
@testable import Lightning

/// The message of an attacker that knows the channel, its payments and even its secrets, at any moment and in any
/// order.
enum AttackerMessage {
  static func draw(_ source: inout ByteSource) -> Message? {
    let channel = SampleMessages.channelID
    switch source.byte() % 10 {
    case 0: return try? Message(decoding: source.counted())
    case 1:
      let id = UInt64(source.byte())
      let amount = source.byte()
      return .addHTLC(
        AddHTLC(
          channel: channel, id: id, amountMsat: amount == 255 ? source.number() : UInt64(amount) * 1000,
          paymentHash: Conversation.paymentHash(source.byte() % 8), cltvExpiry: UInt32(source.byte())))
    case 2:
      return .fulfillHTLC(
        FulfillHTLC(
          channel: channel, id: UInt64(source.byte()), preimage: Conversation.preimage(source.byte() % 8)))
    case 3:
      return .failHTLC(FailHTLC(channel: channel, id: UInt64(source.byte()), code: UInt16(source.byte())))
    case 4:
      let signatures = Array(repeating: Signature.zeros, count: Int(source.byte() % 8))
      return .commitmentSigned(CommitmentSigned(channel: channel, htlcSignatures: signatures))
    case 6:
      return .failMalformedHTLC(
        FailMalformedHTLC(
          channel: channel, id: UInt64(source.byte()),
          code: UInt16(source.byte()) << 8 | UInt16(source.byte())))
    case 7: return .updateFee(UpdateFee(channel: channel, feeratePerKw: UInt32(source.byte())))
    case 9: return splice(&source)
    case 5: return .revokeAndAck(RevokeAndAck(channel: channel, perCommitmentSecret: secret(&source)))
    default:
      return .channelReestablish(
        ChannelReestablish(
          channel: channel, nextCommitmentNumber: UInt64(source.byte()),
          nextRevocationNumber: UInt64(source.byte()), yourLastPerCommitmentSecret: secret(&source)))
    }
  }

  private static func splice(_ source: inout ByteSource) -> Message {
    let channel = SampleMessages.channelID
    let transaction = TransactionID(hash: source.byte() == 0 ? channel : SampleMessages.transaction.hash)
    switch source.byte() % 10 {
    case 0: return .quiescence(Quiescence(channel: channel, isInitiator: source.byte() == 0))
    case 1:
      return .spliceInit(
        SpliceInit(
          channel: channel, contribution: -Int64(source.byte()) * 1000,
          feeratePerKw: UInt32(source.byte()) * 10, fundingKey: SampleMessages.keys[1]))
    case 2: return .spliceAck(SpliceAck(channel: channel, fundingKey: SampleMessages.keys[0]))
    case 3:
      return .addInput(
        AddInput(
          channel: channel, serial: UInt64(source.byte()), outputIndex: UInt32(source.byte()),
          sharedInput: transaction))
    case 4:
      return .addOutput(
        AddOutput(
          channel: channel, serial: UInt64(source.byte()), satoshis: UInt64(source.byte()) * 1000,
          script: SampleMessages.spliceRequest.script.bytes))
    case 5: return .transactionComplete(TransactionComplete(channel: channel))
    case 6:
      return .transactionSignatures(
        TransactionSignatures(channel: channel, transaction: transaction, sharedInputSignature: .zeros))
    case 7: return .transactionAbort(TransactionAbort(channel: channel, text: "no"))
    case 8: return .spliceLocked(SpliceLocked(channel: channel, transaction: transaction))
    default:
      return .channelReestablish(
        ChannelReestablish(
          channel: channel, nextCommitmentNumber: UInt64(source.byte()),
          nextRevocationNumber: UInt64(source.byte()), yourLastPerCommitmentSecret: secret(&source),
          nextFunding: NextFunding(transaction: transaction, needsCommitment: source.byte() == 0),
          fundingLocked: FundingLocked(transaction: transaction)))
    }
  }

  private static func secret(_ source: inout ByteSource) -> Bytes32 {
    let number = source.byte()
    if number == 255 { return .zero }
    return PerCommitmentSecret.secret(
      channel: SampleMessages.channelID, ofOpener: number.isMultiple(of: 2), commitment: UInt64(number / 2))
  }
}
