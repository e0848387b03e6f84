import Ground
import LightningWire

// Connections on which nothing comes any more.
extension PeerMachine {
  func silenceEndsAt(_ link: PeerLink) -> Instant? {
    guard link.state == .registered || link.state == .visiting, let bound = rules.silence else { return nil }
    return link.silence.map { $0.since + bound }
  }

  /// The channel has not failed by it (BOLT 1), so nothing is said; and nothing that may still come is acted on.
  mutating func silencesEnded(at now: Instant, _ step: inout PeerStep) {
    for index in links.indices {
      guard let end = silenceEndsAt(links[index]), end <= now else { continue }
      let id = links[index].id
      if let next = links[index].silence?.pinged(at: now, due: end) {
        links[index].silence = next
        step.messages.append(.send(connection: id, Silence.ping))
      } else {
        lose(id, at: now, &step)
        step.evictions.append(.evict(connection: id, Silence.reason))
      }
    }
  }
}
