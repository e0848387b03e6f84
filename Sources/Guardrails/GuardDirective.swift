import Ground
import Heartbeat

/// What a guard orders, by who carries it out; in order.
public enum GuardDirective: Hashable, Sendable {
  case container(Container)
  case wallet(Wallet)
  case node(Node)
  case phone(Phone)

  /// To the container's locks, claim row and beats.
  public enum Container: Hashable, Codable, Sendable {
    /// Take or drop the intent lock. No answer.
    case raiseIntent
    case withdrawIntent
    /// Answered by `observed` or `lookFailed`.
    case look
    /// Answered by `claimed`, `claimSuperseded`, `ownLockWasBusy` or `claimFailed`.
    case claim(seen: Epoch, reason: ClaimReason)
    /// Claim a new epoch above the one that the peer knows, under the same ownership; answered like a claim.
    /// `replacing`: the claim that it replaces at the peer, on the user's request.
    case raiseEpoch(Claim, above: Epoch, replacing: ReplacedClaim? = nil)
    /// Answered by `rowRead` or `rowReadFailed`.
    case readRow
    /// No answer.
    case beat(epoch: Epoch, phase: Phase, counter: UInt64)
    case dropLock
    /// Checkpoint the write-ahead log; no process waits for it. No answer.
    case settle
  }

  /// To the wallet around the guard: its own tables, its notifications and its scheduled runs.
  public enum Wallet: Hashable, Codable, Sendable {
    /// Answered by `receivedFound` or `receivedNotRead`: the payment with this hash if it was received and is settled,
    /// or without a hash all payments since the push arrived. A payment is settled when its HTLC has left the channel;
    /// before that the peer may not have the preimage.
    case readReceived(paymentHash: Bytes32?, push: UInt64)
    /// Of an extension without a node; answered by `incomingStored` or `incomingNotStored`.
    case storeIncoming(IncomingRecord, push: UInt64)
    /// A local notification, identified by the payment hash: replaces one with the same identifier.
    case notify(ReceivedPayment)
    /// Removes that notification: the payment's own push brings the text. A phone on which that text replaces it has
    /// nothing to do.
    case withdraw(payment: Bytes32)
    /// What the node did for a scheduled run, which needs it no longer; exactly once for each run.
    case runServed(UInt64, SilentPushOutcome)
  }

  public enum Node: Hashable, Codable, Sendable {
    case startNode(Claim, replacing: ReplacedClaim? = nil)
    /// Gracefully: finish commits, shut down, drain, close. Otherwise close at once. Answered by `node(.stopped)`.
    case stopNode(gracefully: Bool)
    /// Incoming HTLCs that are not accepted yet stay pending for the next owner.
    case acceptNoNewPayment
    /// The peer may be reachable again: a node in a long pause dials at once. No answer.
    case endLongPause
  }

  /// To the phone, to the user, and to the other process.
  public enum Phone: Hashable, Codable, Sendable {
    /// To the other process.
    case say(PresenceMessage)
    case show(Status)
    /// The wallet's connections that may be open now. The status says whether the peer's connection is open.
    case mayConnect([ConnectionTarget])
    /// The content of this push's notification; exactly once for each push.
    case deliver(push: UInt64, PushOutcome)
    /// The extension is ready for the next push.
    case finished(push: UInt64, FinishReason)
    /// The handler of a silent push has finished; exactly once for each push.
    case completed(push: UInt64, SilentPushOutcome)
    /// For the log.
    case noteFailure(SilentPushFailure)
    /// The app has handled its move to the background. The phone waits only seconds for this.
    case backgroundDone
    /// Begin and end a background task; at the end everything is released, and the app may be suspended. Each has its
    /// own number, and the names of the pending tasks, if they have any.
    case beginBackgroundTask(UInt64, name: String? = nil)
    case endBackgroundTask(UInt64)
    case end(EndReason)

    /// After this order iOS may suspend or end the process at once: the extension as soon as iOS has its content. A
    /// process suspended in a write holds a lock and is killed for it. So such orders are carried out last, after
    /// `settle`, which takes two syncs. `WalletTurn` and `NodeCoordinator` do so.
    package var mayEndProcess: Bool {
      switch self {
      case .deliver, .finished, .completed, .endBackgroundTask, .end: true
      default: false
      }
    }
  }
}

// A journal has the order alone: no two ports have one of the same name.
extension GuardDirective: Codable {
  public init(from decoder: any Decoder) throws {
    let order =
      (try? GuardDirective.container(Container(from: decoder)))
      ?? (try? .wallet(Wallet(from: decoder))) ?? (try? .node(Node(from: decoder)))
    self = try order ?? .phone(Phone(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .container(let order): try order.encode(to: encoder)
    case .wallet(let order): try order.encode(to: encoder)
    case .node(let order): try order.encode(to: encoder)
    case .phone(let order): try order.encode(to: encoder)
    }
  }
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
  /// The user was told; the app receives.
  case announced
}

/// Why a process ends on its own.
public enum EndReason: String, Hashable, Codable, Sendable, CaseIterable {
  case fenced
  case terminated
  case containerLost = "container-lost"

  /// Of the pushes that were never served.
  var finish: FinishReason { FinishReason(rawValue: rawValue) ?? .terminated }
}

/// Why the handler of a silent push failed.
public enum SilentPushFailure: Hashable, Codable, Sendable {
  case peerDidNotAnswer
  case container(Trouble)
  /// The error as the node reports it.
  case node(String)
  /// Only the user can resolve it.
  case halted(Status)
  case askedToEnd
}
