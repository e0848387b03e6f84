import Ground
import Lightning

/// The LSP's delay in a splice, and its time limit for one.
struct SplicePace: Hashable, Sendable {
  /// BOLT 2's time limit for a quiescent channel: payments wait meanwhile.
  private static let quiescenceBound = TimeSpan.seconds(60)

  /// Messages that are sent after the delay.
  struct Held: Hashable {
    fileprivate(set) var connection: UInt64
    fileprivate(set) var sendAt: Instant
    fileprivate(set) var messages: [Message] = []
  }

  /// How long the LSP takes to sign for a new funding.
  private let delay: TimeSpan
  private var held: Held?
  /// The splice that was already delayed.
  private var delayed: TransactionID?
  /// Since when the registered connection's channel has been quiescent, or was asked to be.
  private var quiescentSince: Instant?

  init(delay: TimeSpan) { self.delay = delay }

  mutating func forgetConnection() {
    held = nil
    quiescentSince = nil
  }

  var sendsAt: Instant? { held?.sendAt }
  var quiescenceEndsAt: Instant? { quiescentSince.map { $0 + Self.quiescenceBound } }

  mutating func watchQuiescence(_ channel: Channel, at now: Instant) {
    quiescentSince = channel.isNegotiatingSplice ? quiescentSince ?? now : nil
  }

  /// Holds back the signature for a new funding, and all later messages; all are in the ledger already. Only once
  /// for each splice: a wallet that reconnects before the delay is over would never receive the signature.
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
    quiescentSince.shift(by: span)
  }
}
