import Ground

/// The one push that APNs keeps for a phone that it cannot reach.
public struct StoredPush: Hashable, Codable, Sendable {
  /// A visible push with `content-available` has two parts: it also wakes the app.
  var parts: [PhonePush]
  var since: Instant
}

// While the phone is off or has no network, APNs keeps one push for the app: the newest.
extension Phone {
  private var isReachable: Bool { device.hasNetwork && rebooting == nil }

  mutating func arrive(_ push: PhonePush, at now: Instant) -> [PhoneDirective] {
    guard !isReachable else { return route(push, at: now) }
    // A phone that powers off without a network does not get the push any more.
    guard !isGoingDown else { return [.recordFate(push: push.id, .dropped(.goingDown))] }
    let held = PhoneDirective.recordFate(push: push.id, .held(rebooting == nil ? .noNetwork : .phoneIsOff))
    if let first = stored?.parts.first, push.of == first.id {
      stored?.parts.append(push)
      return [held]
    }
    let older = stored?.parts ?? []
    stored = StoredPush(parts: [push], since: now)
    return older.map { .recordFate(push: $0.id, .replaced(by: push.id)) } + [held]
  }

  /// Called after every event: the phone may have become reachable.
  mutating func deliverStored(at now: Instant) -> [PhoneDirective] {
    guard let kept = stored, isReachable else { return [] }
    stored = nil
    let late = PushFate.late(milliseconds: (now - kept.since).wholeMilliseconds)
    return kept.parts.flatMap { [.recordFate(push: $0.id, late)] + route($0, at: now) }
  }

  mutating func dropStored(_ why: PushDrop) -> [PhoneDirective] {
    defer { stored = nil }
    return (stored?.parts ?? []).map { .recordFate(push: $0.id, .dropped(why)) }
  }
}

extension StoredPush: Shiftable {
  public mutating func shift(by span: TimeSpan) { since.shift(by: span) }
}
