import Ground
import Guardrails

// One payment on the screen, and what its time depends on.
extension IncomingPayments {
  struct Payment: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
      case waits
      case received(msat: UInt64)
      case expired
    }

    var hash: Bytes32
    var stage = Stage.waits
    /// When the peer gives it up, in the record's words and on this process's clock.
    var hold: Hold?
    /// When it counts as expired, if it has not come by then.
    var endsBy: Instant
    /// There is a record of it.
    var isStored = false
    /// How often it was announced, by the record that was read last; 0 once that was removed.
    var announced: UInt64?
    /// The record may be removed.
    var isOver = false
    /// Not shown any more; only its record is still there.
    var isDismissed = false
  }

  /// The extension changes a record when the same payment is announced again: the sender has tried again. A record
  /// without a hold's end shows it by its count alone.
  func isAnnouncedAgain(_ record: IncomingRecord, _ known: Payment) -> Bool {
    guard known.stage == .expired else { return false }
    guard record.holdEndsAt == nil, known.hold == nil else {
      return known.hold?.wallSeconds != record.holdEndsAt
    }
    return known.announced.map { $0 != record.announced ?? 1 } ?? false
  }

  struct Hold: Hashable, Sendable {
    var wallSeconds: Int64
    var end: Instant
  }

  /// How far the node is.
  enum Connection: Hashable, Sendable {
    case none
    /// Established, and at work on a payment.
    case busy
    /// Established, with nothing to do.
    case idle
  }
}
