// Museum: other products' ways to keep two processes apart, after their public sources, in the simulated world.

import Ground
import Guardrails
import Lightning
import Simulation
import Wallet

/// How the two processes exclude each other: Baton's guardrails, or what is public of other products' schemes, with
/// the same node, phone and peer. A name without a year is what ships; docs/fidelity.md has the commits.
package enum Coordination: String, Hashable, Sendable, CaseIterable {
  /// The shipped guardrails.
  case baton
  /// Phoenix: a beat that ages by the wall clock, votes for and against a connection, and messages.
  case phoenix
  /// Phoenix of September to November 2025: the app does not notice the extension's beats.
  case phoenixBefore776 = "phoenix-before-776"
  /// Stable Channels until July 2026: a flag of the extension, beats of the app.
  case stableChannels = "stable-channels"
  /// Bitkit since January 2026: the extension only notifies the user, the app receives.
  case bitkit
  /// Bitkit until January 2026: a lock file with the date of locking.
  case bitkit2025 = "bitkit-2025"
  /// Mutiny until December 2023: a lock between devices, with its date.
  case mutiny
  /// matrix-rust-sdk: a lease in a row, with the number of its changes of holder.
  case matrix
  case matrix2023 = "matrix-2023"
  /// Wire until June 2026: a file lock that a suspended app may keep.
  case wire

  package var name: String { description.name }
  /// Nil for Baton's own.
  var scheme: Others.Scheme? { description.scheme }

  private var description: (name: String, scheme: Others.Scheme?) {
    switch self {
    case .baton: ("Baton", nil)
    case .phoenix: ("Phoenix", .votes(seesBeats: true))
    case .phoenixBefore776: ("Phoenix before #776", .votes(seesBeats: false))
    case .stableChannels: ("Stable Channels of July 2026", .lease(.stableChannels))
    case .bitkit: ("Bitkit", .lease(.bitkit))
    case .bitkit2025: ("Bitkit of 2025", .lease(.bitkit2025))
    case .mutiny: ("Mutiny of 2023", .lease(.mutiny))
    case .matrix: ("matrix-rust-sdk", .lease(.matrix))
    case .matrix2023: ("matrix-rust-sdk of 2023", .lease(.matrix2023))
    case .wire: ("Wire of 2026", .lease(.wire))
    }
  }

  /// The app's long-lived background tasks are modelled.
  package var hasTasks: Bool { if case .lease? = scheme { false } else { true } }
}

extension WorldSettings {
  package var coordination: Coordination {
    get { (exclusion?.value as? Others)?.coordination ?? .baton }
    set {
      exclusion = Others(newValue).map { AnyExclusion($0) }
      // The other schemes have no epochs, so the peer does not fence, and nothing is read again after its
      // `channel_reestablish`.
      guard exclusion != nil else { return }
      without.insert(.peerFencing)
      without.insert(.initCheck)
    }
  }
}

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
