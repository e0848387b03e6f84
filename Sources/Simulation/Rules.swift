/// A rule of the coordination that can be removed from a simulated world, to see what breaks. The cores stay
/// unchanged: the world around them answers as if the rule did not exist.
public enum Rule: String, Hashable, Sendable, CaseIterable {
  /// A role lock tells at once whether the holder lives.
  case lock
  /// A write is checked against the row, in its transaction.
  case fencedWrites = "fenced-writes"
  /// The claim gives the state that it read; without, a process continues with its state in memory.
  case stateFromClaim = "state-from-claim"
  /// The row and the state are read once more after the peer's `channel_reestablish`.
  case initCheck = "init-check"
  /// A claim succeeds only against the epoch that was seen.
  case compareAndSet = "compare-and-set"
  /// Two claims under one number differ by a random incarnation.
  case incarnation
  /// Beats begin with the claim, not with the connection.
  case earlyBeat = "early-beat"
  /// Each beat reads the row first.
  case rowBeforeBeat = "row-before-beat"
  /// The app's intent is state that can be read, not only a message.
  case intentAsState = "intent-as-state"
  /// A replaced lock file is noticed and locked again.
  case inodeCheck = "inode-check"
  /// The row is claimed before the node dials; without, after the peer's `init`.
  case claimBeforeDialling = "claim-before-dialling"
  /// The peer refuses an owner of an older epoch; without, its newest connection wins.
  case peerFencing = "peer-fencing"
  /// The peer closes an older connection when the newer one has shown its epoch; without, when the newer one is
  /// opened.
  case evictAfterFence = "evict-after-fence"
  /// The lock is released after the connection is closed; without, before.
  case releaseOrder = "release-order"
  /// A process does not count its own pause as the other's silence, and checks the row before it dials.
  case ownPause = "own-pause"
  /// Another owner of the node is a veto; without, it is one vote against a connection, which two votes for it (the
  /// app is in front, the app has a task) outweigh.
  case veto
  /// A part of a payment waits for the others; without, it counts as the whole payment.
  case completeSet = "complete-set"

  public var sentence: String {
    switch self {
    case .lock: "A role lock tells at once whether its holder lives."
    case .fencedWrites: "Each write checks the claim row in its own transaction."
    case .stateFromClaim: "The node starts from the channel state read with its claim, not from memory."
    case .initCheck:
      "The claim row and the channel state are read again after the peer's channel_reestablish."
    case .compareAndSet: "A claim succeeds only if the epoch is still the one read before."
    case .incarnation: "Two claims of one epoch number differ by a random incarnation."
    case .earlyBeat: "Beats begin with the claim, not with the connection."
    case .rowBeforeBeat: "Each beat reads the claim row first."
    case .intentAsState: "The app's intent is a lock that can be read, not only a message."
    case .inodeCheck: "A replaced lock file is locked again with the next beat."
    case .claimBeforeDialling: "The epoch is claimed before the node dials."
    case .peerFencing: "The peer refuses the owner of an older epoch."
    case .evictAfterFence: "A new connection replaces an older one only once the peer has accepted its epoch."
    case .releaseOrder: "The lock is released after the connection is closed."
    case .veto: "While one process has the node, no votes let the other connect."
    case .completeSet: "A preimage is sent only when all parts of its payment have arrived."
    case .ownPause: "Time in which the waiting process was stopped does not count as the holder's silence."
    }
  }
}

/// Some of the rules.
public struct Rules: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ rules: [Rule]) {
    self.init(
      rawValue: Rule.allCases.enumerated().reduce(0) {
        $1.element.isIn(rules) ? $0 | 1 << UInt32($1.offset) : $0
      })
  }

  private init(_ rule: Rule) { self.init([rule]) }

  static let lock = Rules(.lock)
  static let fencedWrites = Rules(.fencedWrites)
  static let stateFromClaim = Rules(.stateFromClaim)
  static let initCheck = Rules(.initCheck)
  static let compareAndSet = Rules(.compareAndSet)
  static let incarnation = Rules(.incarnation)
  static let earlyBeat = Rules(.earlyBeat)
  static let rowBeforeBeat = Rules(.rowBeforeBeat)
  static let intentAsState = Rules(.intentAsState)
  static let inodeCheck = Rules(.inodeCheck)
  static let claimBeforeDialling = Rules(.claimBeforeDialling)
  static let peerFencing = Rules(.peerFencing)
  static let evictAfterFence = Rules(.evictAfterFence)
  static let releaseOrder = Rules(.releaseOrder)
  static let ownPause = Rules(.ownPause)
  static let veto = Rules(.veto)
  static let completeSet = Rules(.completeSet)

  public var list: [Rule] { Rule.allCases.filter { contains(Rules($0)) } }
}

extension Rule { fileprivate func isIn(_ rules: [Rule]) -> Bool { rules.contains(self) } }
