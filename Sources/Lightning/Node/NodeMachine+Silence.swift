import CoreShape

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
    // Nobody is there to hear why.
    if silence.isPinged { return redial("the peer is given up: \(Silence.reason)", at: now) }
    self.silence = Silence(since: now, isPinged: true)
    return [.send([.message(Silence.ping)])]
  }
}
