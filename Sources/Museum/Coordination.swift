// Museum: other products' ways to keep two processes apart, after their public sources, in the simulated world.

import Ground
import Simulation

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
      if exclusion != nil { without.formUnion(Rules([.peerFencing, .initCheck])) }
    }
  }
}
