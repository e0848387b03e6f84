import Ground
import Guardrails

/// How the two processes exclude each other: Baton's guardrails, or what is public of other wallets' schemes, with
/// the same node, phone and peer.
public enum Coordination: String, Hashable, Sendable, CaseIterable {
  /// The shipped guardrails.
  case baton
  /// Phoenix: a beat that ages by the wall clock, votes for and against a connection, and messages.
  case phoenix
  /// Bitkit: a lock file with the date of locking.
  case bitkit
  /// matrix-rust-sdk: a lease in a row, extended at an interval (see `LeaseTerms.matrix`).
  case matrix

  public var sentence: String {
    switch self {
    case .baton: "the guardrails that ship here"
    case .phoenix: "a beat stamped with the wall clock, votes for and against connecting, and messages"
    case .bitkit: "a lock file with the time of locking: checked first, written afterwards, never renewed"
    case .matrix: "a lease of 500 ms in a database row, renewed every 250 ms (in the product 50 ms)"
    }
  }

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
    switch self {
    case .baton, .phoenix: .seconds(40)
    case .bitkit: LeaseTerms.bitkit.appHolds + .seconds(40)
    case .matrix: .seconds(40)
    }
  }
}
