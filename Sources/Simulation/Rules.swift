/// A rule of the coordination, which can be taken away from a simulated world to see what it is for. The cores stay as
/// they are: the world around them answers as if the rule were not there.
public enum Rule: String, Hashable, Sendable, CaseIterable {
  /// A role lock tells at once whether the holder lives.
  case lock
  /// A write is checked against the row, in its transaction.
  case fencedWrites = "fenced-writes"
  /// The claim gives the state that it read; without, a process goes on with what it knew.
  case stateFromClaim = "state-from-claim"
  /// The row and the state are read once more after the peer's `init`.
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
  /// A lock file that was replaced is noticed and taken anew.
  case inodeCheck = "inode-check"
  /// The row is claimed before anything is dialled; without, after the peer's `init`.
  case claimBeforeDialling = "claim-before-dialling"
  /// The peer refuses an owner of an older epoch; without, its newest connection wins.
  case peerFencing = "peer-fencing"
  /// The peer cuts an older connection off when the newer one has shown its epoch; without, when it is opened.
  case evictAfterFence = "evict-after-fence"
  /// The lock is let go after the connection is closed; without, before.
  case releaseOrder = "release-order"
  /// Whoever was paused itself does not count the time as the other one's silence, and checks before it dials.
  case ownPause = "own-pause"
  /// That somebody else has the node is a veto; without, it is one vote against a connection among others for it: that
  /// the app is in front, and that it has a task.
  case veto
  /// A part of a payment waits for the others; without, it is taken for the whole.
  case completeSet = "complete-set"

  public var sentence: String {
    switch self {
    case .lock: "A role lock tells at once whether its holder lives."
    case .fencedWrites: "A write is checked against the row, in its transaction."
    case .stateFromClaim: "The claim gives the state that it read."
    case .initCheck: "Row and state are read once more after the peer's init."
    case .compareAndSet: "A claim succeeds only against the epoch that was seen."
    case .incarnation: "Two claims under one number differ by a random incarnation."
    case .earlyBeat: "Beats begin with the claim, not with the connection."
    case .rowBeforeBeat: "Each beat reads the row first."
    case .intentAsState: "The app's intent is state that can be read."
    case .inodeCheck: "A lock file that was replaced is taken anew with the next beat."
    case .claimBeforeDialling: "The row is claimed before anything is dialled."
    case .peerFencing: "The peer refuses the owner of an older epoch."
    case .evictAfterFence: "The peer cuts an older connection off only for a newer epoch."
    case .releaseOrder: "The lock is let go after the connection is closed."
    case .veto: "Whoever has the node keeps the other away, however much speaks for a connection."
    case .completeSet: "A preimage leaves when all parts of its payment are there."
    case .ownPause: "A pause of one's own is not taken for the other one's silence."
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

extension Rule {
  fileprivate func isIn(_ rules: [Rule]) -> Bool { rules.contains(self) }
}
