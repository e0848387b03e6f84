import Ground

/// Why a channel refuses a call. A call that throws has changed nothing.
public enum ChannelError: Error, Hashable, Codable, Sendable {
  // Requests of this side.
  case amountIsZero
  case amountAboveBalance(availableMsat: UInt64)
  case tooManyHTLCs
  case expiryOutOfRange
  case unknownHTLC(id: UInt64)
  /// The HTLC is not irrevocably committed yet.
  case notCommitted(id: UInt64)
  case alreadyRemoved(id: UInt64)

  /// A splice is pending: updates wait for its end.
  case spliceUnderWay
  case doesNotSplice
  case belowDust(leastSat: UInt64)
  /// For a splice of either side.
  case spliceAboveBalance(availableSat: UInt64)

  // Mistakes of the other side.
  case otherChannel(Bytes32)
  case notReestablished
  case unexpectedMessage(type: UInt16)
  case unexpectedHTLCID(expected: UInt64, got: UInt64)
  case wrongPreimage(id: UInt64)
  case malformedFailure(id: UInt64)
  /// BOLT 2: `update_fail_malformed_htlc` needs a code with the BADONION bit.
  case notBadOnion(id: UInt64, code: UInt16)
  /// BOLT 2: only the channel's opener pays the fee, and may change it.
  case feeOfNonOpener
  case feeOnFeelessChannel
  case wrongSecret
  case wrongSignatureCount(expected: Int, got: Int)
  /// `commitment_signed` without an update.
  case emptyCommitment
  /// The sender has sent `stfu`, or is bound to a splice.
  case updateDuringSplice(type: UInt16)
  case otherFunding
  /// The two sides are bound to different splices.
  case conflictingSplices
  case lacksSharedSignature

  // Data loss of one side.
  /// The other side proves a state that this side does not know. This side must not sign or broadcast anything.
  case weAreBehind(theirs: ChannelReestablish)
  /// The other side has lost state that it had acknowledged.
  case peerIsBehind(theirs: ChannelReestablish)

  // An invalid stored channel.
  case damaged(String)
}

extension ChannelError {
  /// The warning or error to send. For most violations BOLT 2 allows both; an error fails the channel (BOLT 1) and
  /// makes the other side broadcast. To keep the channel, an error is only sent where it is required: an unknown
  /// channel, a wrong secret, data that we have lost. A peer that has lost data may still find its newest state, so
  /// it gets a warning.
  package func message(about channel: Bytes32) -> Message {
    let body = ErrorOrWarning(channel: channel, text: description)
    switch self {
    case .otherChannel(let other): return .error(ErrorOrWarning(channel: other, text: description))
    case .wrongSecret, .weAreBehind, .lacksSharedSignature, .conflictingSplices, .damaged: return .error(body)
    default: return .warning(body)
    }
  }
}

extension ChannelError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .amountIsZero: "the amount is zero: offer at least one millisatoshi"
    case .amountAboveBalance(let available):
      "the amount is above the balance: offer at most \(AmountText.words(msat: available))"
    case .tooManyHTLCs: "the channel has the maximum number of HTLCs: wait until one is settled"
    case .expiryOutOfRange: "the expiry is not a block height: use a number from 1 to 499999999"
    case .unknownHTLC(let id): "there is no HTLC \(id): use the id of a committed one"
    case .notCommitted(let id): "HTLC \(id) is not irrevocably committed: wait until it is"
    case .alreadyRemoved(let id): "the removal of HTLC \(id) is already pending: remove each HTLC once"
    case .spliceUnderWay: "a splice is pending: wait for its end"
    case .doesNotSplice: "the peer does not support splicing"
    case .belowDust(let least):
      "the amount is below the dust limit: withdraw at least \(AmountText.words(sat: least))"
    case .spliceAboveBalance(let available):
      "the amount is above the balance: withdraw at most \(AmountText.words(sat: available))"
    case .otherChannel(let id): "channel \(id) is unknown: use the id of the channel that both sides share"
    case .notReestablished: "the channel is not re-established: exchange channel_reestablish first"
    case .unexpectedMessage(let type): "message type \(type) is not allowed in this state: reconnect"
    case .unexpectedHTLCID(let expected, let got): "HTLC id \(got) where \(expected) is expected: reconnect"
    case .wrongPreimage(let id):
      "the preimage does not match the payment hash of HTLC \(id): send the right one"
    case .malformedFailure(let id): "the failure of HTLC \(id) has no readable code: send two bytes"
    case .notBadOnion(let id, let code):
      "HTLC \(id) is reported as malformed with \(FailureCode(rawValue: code)): use a code with the bit 0x8000"
    case .feeOfNonOpener: "only the channel's opener may change its fee: send no update_fee"
    case .feeOnFeelessChannel:
      "the commitments of this channel have no fee, so any rate is too large: send no update_fee"
    case .wrongSecret: "the per-commitment secret is not the one of its commitment number"
    case .wrongSignatureCount(let expected, let got):
      "the message has \(got) HTLC signatures or witnesses where \(expected) are required: reconnect"
    case .emptyCommitment: "the commitment changes nothing: send one only after an update"
    case .updateDuringSplice(let type):
      "message type \(type) is not allowed while the channel is quiescent or a splice is pending: reconnect"
    case .otherFunding: "the message names an unknown funding transaction: reconnect"
    case .conflictingSplices:
      "the two sides have different pending splices: the channel cannot be re-established"
    case .lacksSharedSignature: "tx_signatures lacks the signature of the shared input"
    case .weAreBehind: "this side has lost data: it must restore its newest state before it uses the channel"
    case .peerIsBehind: "the other side has lost data: it must find its newest state before it reconnects"
    case .damaged(let what): "the stored channel is damaged (\(what)): only a backup can restore it"
    }
  }
}
