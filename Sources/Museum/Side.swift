import Ground
import Guardrails
import Lightning
import Wallet
import Simulation

/// One side of another product's coordination. It uses our guard's events and directives; `Others` gives them that
/// coordination's meaning.
protocol Side: ExclusionGuard {
  var notes: SideNotes { get set }
  /// What the process knew of the other one when it started its node.
  var entry: Entry? { get }
  /// The app is in front, and its node does not run.
  var isKeptWaiting: Bool { get }
  /// The app's node runs in the background, where the app sends no message.
  var isHiddenAtWork: Bool { get }

  mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective]
}

struct SideNotes: Hashable, Sendable {
  /// The node starts when the read is answered.
  var isReading = false
  /// Its node has sent `channel_reestablish`, and has no order to stop.
  var isDriving = false
  /// Its node has learned from the peer that its channel state is an old one.
  var isBehindPeer = false
  /// The process was frozen and thawed.
  var hasThawed = false
  /// The channel in its memory when it took the lease.
  var channelOfLease: Channel?
}

enum NodeStage: Hashable, Sendable { case stopped, running, stopping }

enum Entry: Hashable, Sendable {
  /// There was no sign of life.
  case sawNothing
  /// The last sign of life was too old.
  case sawOld
  /// There was a fresh sign of life, but more votes for a connection.
  case outvoted
  case didNotLook
  /// There was a fresh sign of life, but it had waited long enough.
  case insisted
}

extension Claim {
  /// The other schemes have no epochs: every start of their nodes has this claim.
  static let ofOthers = Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 0xC0, low: 1))
}

extension Side {
  var isKeptWaiting: Bool { false }
  var isHiddenAtWork: Bool { false }
  var hasTask: Bool { false }

  mutating func noteThaw() { notes.hasThawed = true }

  /// Before a node starts, its state is read from the container, as a claim does in Baton's guards.
  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    if event == .node(.trouble(NodeMachine.peerIsAhead)) { notes.isBehindPeer = true }
    if notes.isReading, event == .claimed(.ofOthers) {
      notes.isReading = false
      return [.node(.startNode(.ofOthers))]
    }
    return decide(event, at: now).map { directive in
      switch directive {
      case .node(.startNode):
        notes.isReading = true
        return .container(.readRow)
      case .node(.stopNode):
        notes.isDriving = false
        return directive
      default: return directive
      }
    }
  }
}

extension Life {
  var side: (any Side)? {
    get { wallet.guardrail.foreign as? any Side }
    set { wallet.guardrail.foreign = newValue }
  }
}
