import Ground
import LightningWire
import LightningChannel

// The provider's side of a splice: it goes along, adds nothing of its own, and may take its time.
extension PeerMachine {
  /// BOLT 2 gives a channel at rest so long: payments wait meanwhile.
  static let restBound = TimeSpan.seconds(60)

  var features: Features { .ofProvider(splices: fundingKey != nil) }

  var splicingSide: SplicingSide? { fundingKey.map { SplicingSide(role: .answers, key: $0) } }

  // MARK: Taking time

  /// Its signature for a new funding is held back, and all that comes behind it. All of it is in the ledger by now. Once for
  /// each: a wallet that has no patience comes back, and would never get it.
  mutating func holds(_ message: Message, for connection: UInt64, at now: Instant) -> Bool {
    if held == nil {
      guard spliceDelay > .zero, case .commitmentSigned(let body) = message,
        let splice = state.channel.pendingSplice, body.funding == splice.id, delayed != splice.id
      else { return false }
      delayed = splice.id
      held = HeldSplice(connection: connection, sendAt: now + spliceDelay)
    }
    held?.messages.append(message)
    return true
  }

  mutating func sendHeld(_ step: inout PeerStep, at now: Instant) {
    guard let due = held, due.sendAt <= now else { return }
    held = nil
    for message in due.messages { step.messages.append(.send(connection: due.connection, message)) }
  }

  // MARK: Rest

  mutating func watchRest(at now: Instant) {
    restingSince = state.channel.isTalkingOfSplice ? restingSince ?? now : nil
  }

  var restEndsAt: Instant? { restingSince.map { $0 + Self.restBound } }

  mutating func restEnded(_ step: inout PeerStep, at now: Instant) {
    guard let restEndsAt, restEndsAt <= now, let connection = registered else { return }
    let why = "the channel was at rest for 60 s: reconnect"
    let warning = Message.warning(Complaint(channel: state.channel.id, text: why, code: .restEnded))
    giveUp(connection, why, saying: warning, at: now, &step)
  }
}

/// What is sent when the provider has taken its time.
struct HeldSplice: Hashable, Codable, Sendable {
  var connection: UInt64
  var sendAt: Instant
  var messages: [Message] = []
}

extension HeldSplice: Shiftable {
  mutating func shift(by span: TimeSpan) { sendAt.shift(by: span) }
}
