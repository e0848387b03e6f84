import Ground
import LightningWire

// A connection on which nothing comes any more.
extension NodeMachine {
  mutating func heard(at now: Instant) {
    connection.heard(at: rules.silence != nil && isConnected ? now : nil)
  }

  /// Until the channel runs the peer has its time limits anyhow, and the wallet says nothing unasked.
  var silenceEndsAt: Instant? {
    switch state {
    case .established, .mute: connection.silenceEndsAt(rules)
    default: nil
    }
  }

  mutating func silenceEnded(at now: Instant) -> [NodeDirective] {
    guard let end = silenceEndsAt, now >= end else { return [] }
    guard connection.ping(at: now, due: end) else {
      // Nobody is there to hear why.
      return redial("the peer is given up: \(Silence.reason)", at: now)
    }
    return [.send([.message(Silence.ping)])]
  }
}
