import Ground
import Guardrails

// One payment on the screen, what its time depends on, and the screen of all.
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
    /// Its record, as it was read last.
    var record: IncomingRecord?
    /// The record may be removed.
    var isOver = false
    var isReceived: Bool { if case .received = stage { true } else { false } }
    /// Not shown any more; only its record is still there.
    var isDismissed = false

    var isStored: Bool { record != nil }
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

  /// After a receipt.
  struct LateRead: Hashable, Sendable {
    var payment: Bytes32
    var at: Instant
  }

  // MARK: The screen

  var screen: AppScreen {
    let present = payments.filter { !$0.isDismissed }
    if present.contains(where: { $0.stage == .waits }) {
      return .incoming(connection == .none ? .connecting : .completing)
    }
    let msat = present.compactMap { if case .received(let msat) = $0.stage { msat } else { nil } }
    let isFocusExpired = present.contains { $0.hash == focus && $0.stage == .expired }
    if !msat.isEmpty, !isFocusExpired {
      return .incoming(.completed(sats: msat.reduce(0) { $0 &+ $1 } / 1000))
    }
    return present.isEmpty ? .page(page) : .incoming(.expired)
  }
}
