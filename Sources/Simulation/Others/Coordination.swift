import Ground
import Guardrails

/// How the two processes keep apart. Beside ours there is what others do about it, as far as it is public: the same
/// node, the same phone and the same peer, with their locks and timers instead of our guardrails.
public enum Coordination: String, Hashable, Sendable, CaseIterable {
  /// The guardrails that ship here.
  case baton
  /// Phoenix: a beat that ages by the wall clock, votes for and against a connection, and messages.
  case phoenix
  /// Bitkit: a file that says since when somebody has the lock.
  case bitkit
  /// matrix-rust-sdk: a row that says until when somebody has the lock, extended every 50 ms.
  case matrix

  public var sentence: String {
    switch self {
    case .baton: "the guardrails that ship here"
    case .phoenix: "a beat that ages by the wall clock, votes for a connection, and messages"
    case .bitkit: "a lock file with a date, written after a look, never extended"
    case .matrix: "a lease of 500 ms in a row, extended every 50 ms"
    }
  }

  /// Others have no epochs, so their peer knows none, and nothing is read anew after its `init`.
  var lacks: Rules { self == .baton ? [] : [.peerFencing, .initCheck] }

  /// Whether it promises this. Of others it is asked who runs the node, and what becomes of the money that comes.
  func promises(_ invariant: Invariant) -> Bool {
    switch invariant {
    case .textIsTrue, .toldOnce, .sentOnce: self == .baton
    default: true
    }
  }

  /// What is older than this is all the same, also after the clock was set back a few times.
  var longestMemory: TimeSpan {
    switch self {
    case .baton, .phoenix: .seconds(40)
    case .bitkit: LeaseTerms.bitkit.appHolds + .seconds(40)
    case .matrix: .seconds(40)
    }
  }
}
