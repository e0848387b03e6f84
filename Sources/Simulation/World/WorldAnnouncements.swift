import Ground
import LightningProvider

/// What the peer has announced to a wallet that is away, by its pushes alone.
struct WorldAnnouncements: Hashable, Sendable {
  /// Since when no connection is accepted, by the peer's clock, without the time in which the device sleeps: the peer
  /// does nothing then. Nil while one is.
  private var awaySince: Instant? = .zero
  /// The calls since the last payment that did not end at once, as of the beginning of the absence.
  private var callsBefore = 0
  private var calls = 0
  private var calledAt: Instant?
  private var toldHashes: Set<Bytes32> = []

  /// A timer of the peer may be late: the moves have no order.
  private static let late = TimeSpan.seconds(5)

  mutating func noteLeft(at now: Instant) {
    awaySince = now
    callsBefore = calls
    toldHashes = []
  }

  mutating func noteStart(at now: Instant) {
    calls = 0
    noteLeft(at: now)
  }

  mutating func noteConnection(_ isConnected: Bool, at now: Instant) {
    if isConnected { awaySince = nil } else if awaySince == nil { noteLeft(at: now) }
  }

  mutating func noteSleep(_ span: TimeSpan) { awaySince = awaySince.map { $0 + span } }

  mutating func noteNews() { calls = 0 }

  /// Several at one time are one call.
  mutating func note(_ push: PushRequest, at now: Instant) {
    guard push.kind == .alert, let hash = push.paymentHash else { return }
    toldHashes.insert(hash)
    if calledAt != now { calls += 1 }
    calledAt = now
  }

  /// A payment that waits, and should have been announced by now.
  func missing(of payments: [PeerPayment], at now: Instant) -> PeerPayment? {
    guard let awaySince else { return nil }
    var hashesAhead: Set<Bytes32> = []
    for payment in payments {
      let hash = payment.request.paymentHash
      let due =
        awaySince + AnnouncementPace.pause(AnnouncementPace.first, after: callsBefore)
        + AnnouncementPace.delay(behind: hashesAhead.count)
      if !toldHashes.contains(hash), now > due + Self.late { return payment }
      hashesAhead.insert(hash)
    }
    return nil
  }
}
