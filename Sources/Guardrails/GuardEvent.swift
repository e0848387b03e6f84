import Ground

/// What can happen to either process. All are facts in the past tense; one that does not matter now is a no-op.
public enum GuardEvent: Hashable, Codable, Sendable {
  case deadlineReached

  // From the phone.
  case launched
  case enteredForeground
  case enteredBackground
  case pushArrived(Push)
  /// To the app, which is in the background or was started there.
  case silentPushArrived(Push)
  /// The phone will take the time away soon.
  case expiryWarned(push: UInt64)
  case terminationRequested
  case networkChanged(isThere: Bool)
  /// The phone takes the time in the background back that was asked for under this number.
  case backgroundTimeExpired(task: UInt64)

  /// The user says that the node is this container's from now on, whichever the peer knows.
  case moveRequested

  // From the wallet: work that must not be left half done.
  case taskBegan(TaskBeginning)
  case taskEnded(TaskBeginning)

  // From the other process.
  case presenceHeard(PresenceMessage)
  /// The other process's socket closed, or its pidfd says that it ended.
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
  /// For this push; without one in the journals of earlier programs, which asked for the push that was served.
  case receivedFound([ReceivedPayment], push: UInt64? = nil)
  case receivedNotRead(Trouble, push: UInt64)
  /// The container is lost, as in `Trouble.lost`; found by the node.
  case containerLost(String)

  case node(NodeReport)
}

/// Why the container gave no answer.
public enum Trouble: Hashable, Codable, Sendable {
  /// Somebody is inside a write transaction; the pid if it is known, and whether it is stopped.
  case blocked(pid: Int32?, isStopped: Bool)
  /// One sentence for people.
  case failed(String)
  /// What this process has open is not the container any more that lies at its path, and never will be again: why.
  case lost(String)
}

extension GuardEvent {
  /// Why this process can never use its container again: an answer says so, or the node has found it.
  public var lossOfContainer: String? {
    switch self {
    case .containerLost(let sentence), .lookFailed(.lost(let sentence)), .claimFailed(.lost(let sentence)),
      .rowReadFailed(.lost(let sentence)), .receivedNotRead(.lost(let sentence), _):
      sentence
    default: nil
    }
  }
}

/// One push for the extension, as far as it could be read.
public struct Push: Hashable, Codable, Sendable {
  public enum Reason: String, Hashable, Codable, Sendable {
    case incomingPayment
    case pendingSettlement
    case onionMessage
    case unreadable

    /// Money may wait for who connects.
    var mayConcernPayment: Bool { self == .incomingPayment || self == .pendingSettlement }
  }

  public var id: UInt64
  public var reason: Reason
  /// If the push names the payment.
  public var paymentHash: Bytes32?
  /// How long the phone gives for it, of a silent one; nil where no time runs.
  public var time: TimeSpan?

  public init(id: UInt64, reason: Reason, paymentHash: Bytes32? = nil, time: TimeSpan? = nil) {
    self.id = id
    self.reason = reason
    self.paymentHash = paymentHash
    self.time = time
  }
}
