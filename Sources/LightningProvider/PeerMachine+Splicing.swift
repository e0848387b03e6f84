import Ground
import Lightning

// The LSP's side of a splice: it accepts, adds no inputs or outputs of its own, and may delay its signature.
extension PeerMachine {
  var features: Features { .ofProvider(splices: fundingKey != nil) }

  var splicingSide: SplicingSide? { fundingKey.map { SplicingSide(role: .answers, key: $0) } }

  mutating func sendHeld(_ step: inout PeerStep, at now: Instant) {
    guard let due = splicePace.takeDue(at: now) else { return }
    for message in due.messages { step.messages.append(.send(connection: due.connection, message)) }
  }

  mutating func quiescenceEnded(_ step: inout PeerStep, at now: Instant) {
    guard let end = splicePace.quiescenceEndsAt, end <= now, let connection = registered else { return }
    let why = "the channel was at rest for 60 s: reconnect"
    let warning = Message.warning(
      ErrorOrWarning(channel: state.channel.id, text: why, code: .quiescenceTimeout))
    giveUp(connection, why, sending: warning, at: now, &step)
  }
}
