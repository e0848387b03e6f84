import Ground

/// An event of either process, a fact in the past tense; an irrelevant one is a no-op.
public enum GuardEvent: Hashable, Codable, Sendable {
  case deadlineReached

  // From the phone.
  case launched
  case enteredForeground
  case enteredBackground
  case pushArrived(Push)
  /// A push that the extension without a node has told without its key can be read after all: only its record is wanted.
  case toldPushRead(Push)
  /// For the app, which is in the background or was launched there.
  case silentPushArrived(Push)
  /// A scheduled run of the app needs the node for this time, in the background: handled like a silent push. The
  /// phone ends the run early.
  case nodeWanted(run: UInt64, time: TimeSpan)
  case runExpired(UInt64)
  /// The system will soon end the extension (`serviceExtensionTimeWillExpire`) or the handler of a silent push.
  case expiryWarned(push: UInt64)
  case terminationRequested
  case networkChanged(isThere: Bool)
  /// The background task with this number has expired.
  case backgroundTimeExpired(task: UInt64)

  /// The user asks to move the node to this container, whatever container the peer knows.
  case moveRequested

  // From the wallet: tasks that keep the app in the background.
  case taskBegan(TaskBeginning)
  case taskEnded(TaskBeginning)

  // From the other process.
  case presenceHeard(PresenceMessage)
  /// The other process's socket closed, or its pidfd reports its end.
  case partnerEnded

  // Answers of the container.
  case observed(Observation)
  case lookFailed(Trouble)
  case claimed(Claim)
  case claimSuperseded
  case ownLockWasBusy
  case claimFailed(Trouble)
  case rowRead(ClaimRow?, appWantsNode: Bool)
  case rowReadFailed(Trouble)
  case receivedFound([ReceivedPayment], push: UInt64? = nil)
  case receivedNotRead(Trouble, push: UInt64)
  /// From the store of announced payments, which only the extension without a node writes.
  case incomingStored(push: UInt64)
  case incomingNotStored(Trouble, push: UInt64)
  /// As in `Trouble.lost`; found by the node.
  case containerLost(String)

  case node(NodeReport)
}

/// Why the container gave no answer.
public enum Trouble: Hashable, Codable, Sendable {
  /// A process is inside a write transaction; its pid if known, and whether it is stopped.
  case blocked(pid: Int32?, isStopped: Bool)
  /// One sentence for users.
  case failed(String)
  /// The files that this process has open are no longer those at the container's path: why.
  case lost(String)
}

extension GuardEvent {
  /// Why this process can never use its container again, from an answer of the container or from the node.
  public var lossOfContainer: String? {
    switch self {
    case .containerLost(let sentence), .lookFailed(.lost(let sentence)), .claimFailed(.lost(let sentence)),
      .rowReadFailed(.lost(let sentence)), .receivedNotRead(.lost(let sentence), _):
      sentence
    default: nil
    }
  }
}

/// One push, as far as it could be read.
public struct Push: Hashable, Codable, Sendable {
  public enum Reason: String, Hashable, Codable, Sendable {
    case incomingPayment
    case pendingSettlement
    /// Not about a payment: an onion message, an order, a closed channel.
    case other
    case unreadable

    /// An HTLC may be pending at the LSP.
    var mayConcernPayment: Bool { self == .incomingPayment || self == .pendingSettlement }
  }

  public var id: UInt64
  public var reason: Reason
  /// If the push names the payment.
  public var paymentHash: Bytes32?
  /// The system's time limit for a silent push; nil without one.
  public var time: TimeSpan?
  /// If the push announces something for which the user must open the app.
  public var announcement: Announcement?

  public init(
    id: UInt64, reason: Reason, paymentHash: Bytes32? = nil, time: TimeSpan? = nil,
    announcement: Announcement? = nil
  ) {
    self.id = id
    self.reason = reason
    self.paymentHash = paymentHash
    self.time = time
    self.announcement = announcement
  }
}
