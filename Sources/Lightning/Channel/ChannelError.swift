import Ground
import LightningWire

/// Why a channel refuses. A call that throws has changed nothing.
public enum ChannelError: Error, Hashable, Codable, Sendable {
  // What this side asked for.
  case amountIsZero
  case amountAboveBalance(availableMsat: UInt64)
  case tooManyHTLCs
  case expiryOutOfRange
  case unknownHTLC(id: UInt64)
  /// The HTLC is not irrevocably committed yet.
  case notCommitted(id: UInt64)
  case alreadyRemoved(id: UInt64)

  /// One is under way: updates wait until it is over.
  case spliceUnderWay
  case doesNotSplice
  case belowDust(leastSat: UInt64)
  /// Also what the other side may not take out.
  case spliceAboveBalance(availableSat: UInt64)

  // What the other side did wrong.
  case otherChannel(Bytes32)
  case notReestablished
  case unexpectedMessage(type: UInt16)
  case unexpectedHTLCID(expected: UInt64, got: UInt64)
  case wrongPreimage(id: UInt64)
  case malformedFailure(id: UInt64)
  /// BOLT 2: what could not be read is said with one of the codes for it.
  case notBadOnion(id: UInt64, code: UInt16)
  /// BOLT 2: only who opened the channel pays the fee, and may change it.
  case feeOfNonOpener
  case feeOnFeelessChannel
  case wrongSecret
  case wrongSignatureCount(expected: Int, got: Int)
  /// A commitment that changes nothing.
  case emptyCommitment
  /// It has asked for rest, or is bound to a splice.
  case updateDuringSplice(type: UInt16)
  case otherFunding
  /// Both are bound to a splice, and each to another.
  case conflictingSplices
  case lacksSharedSignature

  // One of the two lost data.
  /// The other side proves a state that this side does not know. This side must not sign or broadcast anything.
  case weAreBehind(theirs: ChannelReestablish)
  /// The other side has forgotten something that it acknowledged.
  case peerIsBehind(theirs: ChannelReestablish)

  // A stored channel that cannot be one.
  case damaged(String)
}

extension ChannelError {
  /// BOLT 2 leaves the choice for most of what can be wrong: a warning and the end of the connection, or an error, which
  /// fails the channel (BOLT 1) and makes the other side broadcast. Both ends keep the channel, so an error is left for
  /// what must be one: a channel that is not known, a wrong secret, data that we have lost. A peer that is behind may find its
  /// newest state yet, and is not asked to give the channel up.
  package func message(about channel: Bytes32) -> Message {
    let complaint = Complaint(channel: channel, text: description)
    switch self {
    case .otherChannel(let other): return .error(Complaint(channel: other, text: description))
    case .wrongSecret, .weAreBehind, .lacksSharedSignature, .conflictingSplices, .damaged:
      return .error(complaint)
    case .amountIsZero, .amountAboveBalance, .tooManyHTLCs, .expiryOutOfRange, .unknownHTLC, .notCommitted,
      .alreadyRemoved, .notReestablished, .unexpectedMessage, .unexpectedHTLCID, .wrongPreimage,
      .malformedFailure, .notBadOnion, .feeOfNonOpener, .feeOnFeelessChannel, .wrongSignatureCount,
      .emptyCommitment, .spliceUnderWay, .doesNotSplice, .belowDust, .spliceAboveBalance, .updateDuringSplice,
      .otherFunding, .peerIsBehind:
      return .warning(complaint)
    }
  }
}

extension ChannelError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .amountIsZero: "the amount is zero: offer at least one millisatoshi"
    case .amountAboveBalance(let available):
      "the amount is above the balance: offer at most \(AmountText.words(msat: available))"
    case .tooManyHTLCs: "the channel holds its most HTLCs: wait until one is settled"
    case .expiryOutOfRange: "the expiry is not a block height: use a number from 1 to 499999999"
    case .unknownHTLC(let id): "there is no HTLC \(id): use the number of one that is committed"
    case .notCommitted(let id): "HTLC \(id) is not irrevocably committed: wait until it is"
    case .alreadyRemoved(let id): "HTLC \(id) is being removed already: leave it"
    case .spliceUnderWay: "a splice is under way: wait until it is over"
    case .doesNotSplice: "the peer does not splice"
    case .belowDust(let least):
      "the amount is below the dust limit: take at least \(AmountText.words(sat: least))"
    case .spliceAboveBalance(let available):
      "the amount is above the balance: take at most \(AmountText.words(sat: available))"
    case .otherChannel(let id): "channel \(id) is not known here: speak of the channel both sides share"
    case .notReestablished: "the channel is not re-established: exchange channel_reestablish first"
    case .unexpectedMessage(let type): "a message of type \(type) has no place here: reconnect"
    case .unexpectedHTLCID(let expected, let got): "HTLC \(got) came where \(expected) is due: reconnect"
    case .wrongPreimage(let id):
      "the preimage does not fit the payment hash of HTLC \(id): send the right one"
    case .malformedFailure(let id): "the failure of HTLC \(id) has no readable code: send two bytes"
    case .notBadOnion(let id, let code):
      "HTLC \(id) is called malformed with \(FailureCode(rawValue: code)): use a code with the bit 0x8000"
    case .feeOfNonOpener: "only who opened the channel may change its fee: send no update_fee"
    case .feeOnFeelessChannel:
      "the commitments of this channel carry no fee, so any rate is too large: send no update_fee"
    case .wrongSecret: "the per-commitment secret is wrong: reconnect and compare the commitment numbers"
    case .wrongSignatureCount(let expected, let got):
      "the commitment carries \(got) HTLC signatures where \(expected) are due: reconnect"
    case .emptyCommitment: "the commitment changes nothing: send one only after an update"
    case .updateDuringSplice(let type):
      "a message of type \(type) came while the channel is at rest: reconnect"
    case .otherFunding: "that is another funding than the one under way: reconnect"
    case .conflictingSplices: "each side is bound to another splice: this cannot be brought together"
    case .lacksSharedSignature: "the signature of the shared input is missing: send it"
    case .weAreBehind: "this side has lost data: only the newest backup, which the peer keeps, may go on"
    case .peerIsBehind: "the other side has lost data: it must find its newest state before going on"
    case .damaged(let what): "the stored channel is damaged (\(what)): it comes back from the peer's backup"
    }
  }
}
