import Ground

/// Presence messages between the two processes of a phone. A message that nobody hears has no arrow.
struct PresenceArrows: Sendable {
  /// A datagram on one machine takes no longer.
  private static let longest = TimeSpan.seconds(10)
  private struct Key: Hashable {
    var who: TimelineWho
    var words: String
  }

  private var waiting: [Key: [TimelineAnchor]] = [:]

  /// A process that has just started hears nothing that was said before.
  mutating func begin(_ who: TimelineWho) {
    guard case .wallet(let role, let device) = who else { return }
    let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
    let stale = waiting.keys.filter { $0.who == speaker }.sorted { $0.words < $1.words }
    for key in stale { waiting[key] = nil }
  }

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    switch fact {
    case .said(let words): waiting[Key(who: who, words: words), default: []].append(sheet.here)
    case .heard(let words):
      guard case .wallet(let role, let device) = who else { return }
      let speaker = TimelineWho.wallet(role == .app ? .extension : .app, device: device)
      let key = Key(who: speaker, words: words)
      let earliest = sheet.now + TimeSpan(nanoseconds: -Self.longest.nanoseconds)
      waiting[key]?.removeAll { $0.at < earliest }
      guard let said = waiting[key]?.first else { return }
      waiting[key]?.removeFirst()
      sheet.draw(
        .presence, from: TimelineEnd(who: speaker, at: said), to: who,
        "\(words), \(TimeText.span(sheet.now - said.at))")
    default: break
    }
  }
}
