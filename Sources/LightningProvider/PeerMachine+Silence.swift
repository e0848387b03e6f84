import Ground
import Lightning

// Connections on which no message arrives any more.
extension PeerMachine {
  func silenceEndsAt(_ link: PeerLink) -> Instant? {
    guard link.state == .registered || link.state == .visiting, let bound = rules.silence else { return nil }
    return link.silence.map { $0.since + bound }
  }

  /// Pings, then evicts without an error: silence does not fail the channel (BOLT 1). Later messages are not
  /// processed.
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
