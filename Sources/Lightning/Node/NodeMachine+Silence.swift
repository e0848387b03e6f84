import Ground
import LightningWire

// A connection on which nothing comes any more.
extension NodeMachine {
  mutating func heard(at now: Instant) {
    silence = rules.silence != nil && isConnected ? Silence(since: now) : nil
  }

  /// Until the channel runs the peer has its time limits anyhow, and the wallet says nothing unasked.
  var silenceEndsAt: Instant? {
    switch state {
    case .established, .mute: silence.flatMap { silence in rules.silence.map { silence.since + $0 } }
    default: nil
    }
  }

  mutating func silenceEnded(at now: Instant) -> [NodeDirective] {
    guard let silence, let end = silenceEndsAt, now >= end else { return [] }
    guard let next = silence.pinged(at: now, due: end) else {
      // Nobody is there to hear why.
      return redial("the peer is given up: \(Silence.reason)", at: now)
    }
    self.silence = next
    return [.send([.message(Silence.ping)])]
  }
}
