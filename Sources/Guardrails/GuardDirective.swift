import Ground
import Heartbeat

/// What a guard orders, in this order: of the node, and of the ports of the wallet.
public enum GuardDirective: Hashable, Codable, Sendable {
  // The container.
  /// Take or drop the lock that says "the app wants the node".
  case raiseIntent
  case withdrawIntent
  /// Answered by `observed` or `lookFailed`.
  case look
  /// Answered by `claimed`, `claimSuperseded`, `ownLockWasBusy` or `claimFailed`.
  case claim(seen: Epoch, reason: ClaimReason)
  /// A new number above the one the peer knows, under the same ownership; answered as a claim is. With whose place it is to
  /// take at the peer, if the user has said so.
  case raiseEpoch(Claim, above: Epoch, replacing: ReplacedClaim? = nil)
  /// Answered by `rowRead` or `rowReadFailed`.
  case readRow
  case beat(epoch: Epoch, phase: Phase, counter: UInt64)
  case dropLock
  /// Answered by `receivedFound` or `receivedNotRead`: this payment if it was received and is settled, else what came since
  /// the push arrived. A payment is settled when its HTLC has left the channel; before that its preimage may not be at the
  /// peer yet. Journals of earlier programs do not name the push.
  case readReceived(paymentHash: Bytes32?, push: UInt64? = nil)

  // The node.
  case startNode(Claim, replacing: ReplacedClaim? = nil)
  /// Gracefully: finish commits, shut down, drain, close. Otherwise close at once. Answered by `node(.stopped)`.
  case stopNode(gracefully: Bool)
  /// Incoming payments that were not accepted yet stay pending for the next owner.
  case acceptNoNewPayment
  /// The peer may be there again: a node that pauses long before it dials its peer again does so now. Without an answer.
  case endLongPause

  // The other process and the user.
  case say(PresenceMessage)
  case show(Status)
  /// These connections of the wallet may be open now, and no others. When the peer's really is, its status says.
  case mayConnect([ConnectionTarget])

  // The phone.
  /// The content of this push; exactly once for each.
  case deliver(push: UInt64, PushOutcome)
  /// A notification beside that of the push, under the payment's hash, in the place of one that is there under it.
  case notify(ReceivedPayment)
  /// Takes that notification away: the push it belongs to has come, and brings the text itself.
  case withdraw(payment: Bytes32)
  /// Ready for the next push.
  case finished(push: UInt64, FinishReason)
  /// Done with a silent push; exactly once for each.
  case completed(push: UInt64, SilentPushOutcome)
  /// For the log.
  case noteFailure(SilentPushFailure)
  /// It has heard that it is in the background. The phone waits only seconds for that.
  case backgroundDone
  /// Ask for time in the background, and give it back: everything is released then, and the app may be suspended.
  /// Each asking has a number of its own, and the name of what is under way, if that has one.
  case beginBackgroundTask(UInt64, name: String? = nil)
  case endBackgroundTask(UInt64)
  case end(EndReason)
}

// What a directive means for the order in which one list is carried out: first what is no farewell; then the log is settled,
// if anything in the list leaves one; then the farewells. So says a wallet that has all in one list (`WalletTurn`), and so does
// the library for wallets that are not ours (`NodeCoordinator`).
extension GuardDirective {
  /// When the phone hears it, it may stop this process at once. Who is stopped in the midst of anything holds a lock, and is
  /// killed for it.
  package var isFarewell: Bool {
    switch self {
    case .finished, .completed, .endBackgroundTask, .end: true
    default: false
    }
  }

  /// The write-ahead log is checkpointed after this directive: the node is connected and idle, or was released.
  package var leavesLogToSettle: Bool {
    switch self {
    case .beat(_, .established, _), .dropLock: true
    default: false
    }
  }
}

/// What came of a silent push.
public enum SilentPushOutcome: String, Hashable, Codable, Sendable {
  case newData = "new-data"
  case noData = "no-data"
  case failed
}

/// Why the extension's work on one push ended.
public enum FinishReason: String, Hashable, Codable, Sendable, CaseIterable {
  /// The service's 29.5 s.
  case totalTime = "total-time"
  /// 5 s without another payment.
  case idle
  case appWantsNode = "app-wants-node"
  case handedOver = "handed-over"
  case received
  case unreadablePush = "unreadable-push"
  case timeWillExpire = "time-will-expire"
  case fenced
  case terminated
  case otherDevice = "other-device"
  case outOfReach = "peer-out-of-reach"
  case tooManyPushes = "too-many-pushes"
  case containerLost = "container-lost"
}

/// Why a process ends by itself.
public enum EndReason: String, Hashable, Codable, Sendable, CaseIterable {
  case fenced
  case terminated
  case containerLost = "container-lost"
}

/// Why the work for a silent push came to nothing.
public enum SilentPushFailure: Hashable, Codable, Sendable {
  case peerDidNotAnswer
  case container(Trouble)
  /// The node's own sentence.
  case node(String)
  /// Only the user can help.
  case halted(Status)
  case askedToEnd
}
