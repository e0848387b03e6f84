import Ground

/// Time from opening the app to `connected`, if the app stays in front until then.
struct WorldOpening: Hashable, Sendable {
  private(set) var since: Instant?
  private(set) var waits = Waits()

  mutating func begin(at now: Instant) { since = since ?? now }

  mutating func giveUp() { since = nil }

  mutating func end(at now: Instant) {
    if let since { waits.add(now - since) }
    since = nil
  }
}
