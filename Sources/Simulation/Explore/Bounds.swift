/// The events and faults that an exploration bounds.
public enum Allowance: Int, Hashable, Sendable, CaseIterable {
  case pushes
  case opens
  case crashes
  case freezes
  case preemptions
  case messageFaults
  case cuts
  case slowConnections
  case peerRestarts
  case replacedLocks
  case lostBeats
  case lostPushes
  case reboots
  case sleeps
  case copies
  case clockSteps
  case tasks
  case networks
  case storageFaults
  case moves

  public var sentence: String {
    switch self {
    case .pushes: "payments to the wallet, each with its push if the wallet is not connected"
    case .opens: "times the user opens the app, and leaves it at any moment"
    case .crashes: "times a process is killed"
    case .freezes: "times a process is stopped, also inside a transaction, until any moment"
    case .preemptions: "times the other process makes a step while a process still has work"
    case .messageFaults: "presence messages that are lost, repeated or late"
    case .cuts: "connections that break"
    case .slowConnections: "connections whose messages to the peer arrive at any later moment"
    case .peerRestarts: "restarts of the peer"
    case .replacedLocks: "lock files that are replaced"
    case .lostBeats: "times a role's beats are erased"
    case .lostPushes: "pushes that are lost"
    case .reboots: "reboots of the phone"
    case .sleeps: "times the device sleeps for a minute"
    case .copies: "old copies of the database put back"
    case .clockSteps: "times the wall clock is set back or forward by 8 s"
    case .networks: "times the phone is without a network, until any moment"
    case .storageFaults: "operations on the container that are blocked, fail, or find the container gone"
    case .moves: "times the user takes another device with the same seed, and moves the wallet there"
    case .tasks: "tasks of the app that go on in the background"
    }
  }
}

/// How many of each may still happen: this makes a world finite.
public struct Bounds: Hashable, Sendable {
  private var counts = SIMD32<UInt8>()
  /// Unbounded: never counted down.
  private static let endless = Int(UInt8.max)

  public init(_ counts: [Allowance: Int] = [:]) {
    for allowance in Allowance.allCases { self[allowance] = counts[allowance] ?? 0 }
  }

  /// Explored in seconds: one payment, one opening, one crash at any step, and one preemption.
  public static let standard = Bounds([.pushes: 1, .opens: 1, .crashes: 1, .preemptions: 1])

  public subscript(allowance: Allowance) -> Int {
    get { Int(counts[allowance.rawValue]) }
    set { counts[allowance.rawValue] = UInt8(clamping: newValue) }
  }

  func isEndless(_ allowance: Allowance) -> Bool { self[allowance] == Self.endless }

  /// A user action, payment or fault is still possible.
  var allowsEvents: Bool {
    var others = counts
    others[Allowance.preemptions.rawValue] = 0
    return others != SIMD32()
  }

  mutating func spend(_ allowance: Allowance) {
    if !isEndless(allowance) { counts[allowance.rawValue] &-= 1 }
  }
}

extension Move {
  /// The allowance that the move uses up; nil if it is unbounded.
  var price: Allowance? {
    switch self {
    case .work, .wake, .hear, .readPresence, .peerReads, .walletReads, .peerWakes, .senderWakes, .phoneWakes,
      .timePasses,
      .network(isThere: true), .fillDisk(false), .home, .quit, .invoice, .send, .cancel, .withdraw, .press,
      .followLink, .endTask,
      .thaw, .askToMove, .startPeer,
      .copyDatabase,
      .noMoreFaults:
      nil
    case .open: .opens
    case .takeOtherDevice: .moves
    case .onOther(let move): move.price
    case .pay, .payPart: .pushes
    case .kill: .crashes
    case .freeze, .freezeInside: .freezes
    case .losePresence, .repeatPresence, .delayPresence: .messageFaults
    case .cut: .cuts
    case .slow: .slowConnections
    case .restartPeer, .stopPeer: .peerRestarts
    case .replaceLock: .replacedLocks
    case .loseBeat: .lostBeats
    case .failStorage, .fillDisk(true): .storageFaults
    case .losePush: .lostPushes
    case .reboot: .reboots
    case .deviceSleeps: .sleeps
    case .restoreCopy: .copies
    case .stepClock: .clockSteps
    case .beginTask: .tasks
    case .network(isThere: false): .networks
    }
  }
}
