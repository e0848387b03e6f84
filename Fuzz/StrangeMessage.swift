import Crypto
import Lightning

/// What somebody may say who knows the channel, its payments and even its secrets, at any moment and in any order.
enum StrangeMessage {
  static func draw(_ source: inout ByteSource) -> Message? {
    let channel = SampleMessages.channelID
    switch source.byte() % 9 {
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
    case 5: return .revokeAndAck(RevokeAndAck(channel: channel, perCommitmentSecret: secret(&source)))
    default:
      return .channelReestablish(
        ChannelReestablish(
          channel: channel, nextCommitmentNumber: UInt64(source.byte()),
          nextRevocationNumber: UInt64(source.byte()), yourLastPerCommitmentSecret: secret(&source)))
    }
  }

  private static func secret(_ source: inout ByteSource) -> Bytes32 {
    let number = source.byte()
    if number == 255 { return .zero }
    return PerCommitmentSecret.secret(
      channel: SampleMessages.channelID, ofOpener: number.isMultiple(of: 2), commitment: UInt64(number / 2))
  }
}
