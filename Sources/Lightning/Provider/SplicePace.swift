import Ground
import Bitcoin
import LightningWire
import LightningChannel

/// The time that the provider takes for a splice, and that it gives one.
struct SplicePace: Hashable, Sendable {
  /// BOLT 2 gives a channel at rest so long: payments wait meanwhile.
  private static let restBound = TimeSpan.seconds(60)

  /// What is sent when the provider has taken its time.
  struct Held: Hashable {
    fileprivate(set) var connection: UInt64
    fileprivate(set) var sendAt: Instant
    fileprivate(set) var messages: [Message] = []
  }

  /// How long it takes to sign for a new funding.
  private let delay: TimeSpan
  private var held: Held?
  /// The splice for which it has taken its time.
  private var delayed: TransactionID?
  /// Since when the channel of the registered connection has been at rest, or comes to it.
  private var restingSince: Instant?

  init(delay: TimeSpan) { self.delay = delay }

  /// The connection is gone.
  mutating func forgetConnection() {
    held = nil
    restingSince = nil
  }

  var sendsAt: Instant? { held?.sendAt }
  var restEndsAt: Instant? { restingSince.map { $0 + Self.restBound } }

  mutating func watchRest(_ channel: Channel, at now: Instant) {
    restingSince = channel.isNegotiatingSplice ? restingSince ?? now : nil
  }

  /// Its signature for a new funding is held back, and all that comes behind it. All of it is in the ledger by now. Once for
  /// each: a wallet that has no patience comes back, and would never get it.
  mutating func holds(
    _ message: Message, for connection: UInt64, _ splice: PendingSplice?, at now: Instant
  ) -> Bool {
    if held == nil {
      guard delay > .zero, case .commitmentSigned(let body) = message, let splice, body.funding == splice.id,
        delayed != splice.id
      else { return false }
      delayed = splice.id
      held = Held(connection: connection, sendAt: now + delay)
    }
    held?.messages.append(message)
    return true
  }

  mutating func takeDue(at now: Instant) -> Held? {
    guard let due = held, due.sendAt <= now else { return nil }
    held = nil
    return due
  }
}

extension SplicePace: Shiftable {
  mutating func shift(by span: TimeSpan) {
    held?.sendAt.shift(by: span)
    restingSince.shift(by: span)
  }
}
