import Ground
import Lightning

// A connection on which no message arrives any more.
extension NodeMachine {
  mutating func heard(at now: Instant) {
    connection.heard(at: rules.silence != nil && isConnected ? now : nil)
  }

  /// Only after `channel_reestablish`: before, the peer has other time limits, and the wallet sends no ping.
  var silenceEndsAt: Instant? {
    switch state {
    case .established, .mute: connection.silenceEndsAt(rules)
    default: nil
    }
  }

  mutating func silenceEnded(at now: Instant) -> [NodeDirective] {
    guard let end = silenceEndsAt, now >= end else { return [] }
    guard connection.ping(at: now, due: end) else {
      // Without an error message: the peer does not read.
      return redial("disconnected from the peer: \(Silence.reason)", at: now)
    }
    return [.send([.message(Silence.ping)])]
  }
}
