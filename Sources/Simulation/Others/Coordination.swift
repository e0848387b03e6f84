import Ground
import Guardrails

/// How the two processes exclude each other: Baton's guardrails, or what is public of other products' schemes, with
/// the same node, phone and peer. A name without a year is what ships; docs/fidelity.md has the commits.
public enum Coordination: String, Hashable, Sendable, CaseIterable {
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

  public var sentence: String {
    switch self {
    case .baton: "the guardrails that ship here"
    case .phoenix: "a beat stamped with the wall clock, votes for and against connecting, and messages"
    case .phoenixBefore776: "as Phoenix, but the app reads the extension's beat only at its own start"
    case .stableChannels:
      "the extension sets a flag and looks at the app's beat; the app looks at the flag, for 30 s at most, and beats once its node runs"
    case .bitkit:
      "the extension only notifies the user; the app receives, under a lock file with the time of locking"
    case .bitkit2025: "a lock file with the time of locking: checked first, written afterwards, never renewed"
    case .mutiny:
      "a lock of 60 s with the time of locking, renewed every 30 s; who finds it free goes on from the state in its memory"
    case .matrix:
      "a lease of 500 ms in a database row, renewed every 250 ms (in the product 50 ms) until a renewal fails"
    case .matrix2023: "a lease of 500 ms in a database row, renewed every 250 ms (in the product 50 ms)"
    case .wire: "a file lock; an app that is suspended inside a transaction keeps it, and is not killed"
    }
  }

  enum Scheme {
    /// Claims, as here.
    case claims
    /// Votes; `seesBeats`: the app notices each beat of the extension.
    case votes(seesBeats: Bool)
    case lease(LeaseTerms)
  }

  var scheme: Scheme {
    switch self {
    case .baton: .claims
    case .phoenix: .votes(seesBeats: true)
    case .phoenixBefore776: .votes(seesBeats: false)
    case .stableChannels: .lease(.stableChannels)
    case .bitkit: .lease(.bitkit)
    case .bitkit2025: .lease(.bitkit2025)
    case .mutiny: .lease(.mutiny)
    case .matrix: .lease(.matrix)
    case .matrix2023: .lease(.matrix2023)
    case .wire: .lease(.wire)
    }
  }

  var leaseTerms: LeaseTerms? { if case .lease(let terms) = scheme { terms } else { nil } }

  var hasVotes: Bool { if case .votes = scheme { true } else { false } }

  /// The app's long-lived background tasks are modelled.
  public var hasTasks: Bool { self == .baton || hasVotes }

  /// The peer keeps the channel as a backup and returns it: of the other products only Phoenix uses that.
  var hasBackups: Bool { self == .baton || hasVotes }

  /// The other schemes have no epochs, so the peer does not fence, and nothing is read again after its
  /// `channel_reestablish`.
  var lacks: Rules { self == .baton ? [] : [.peerFencing, .initCheck] }

  /// Whether the invariant is checked. The other schemes are checked for who runs the node, and for received
  /// payments.
  func promises(_ invariant: Invariant) -> Bool {
    switch invariant {
    case .textIsTrue, .toldOnce, .sentOnce, .movedByUser: self == .baton
    default: true
    }
  }

  /// No rule distinguishes older stamps, also after a few steps back of the clock.
  var longestMemory: TimeSpan {
    let margin = TimeSpan.seconds(40)
    guard let terms = leaseTerms else { return margin }
    let spans = [terms.appHolds, terms.extensionHolds].compactMap { $0 }.filter { $0 > .seconds(5) }
    return (spans.max() ?? .zero) + margin
  }
}
