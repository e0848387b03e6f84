import Ground

/// Pushes that came while another one was served. The phone hands them over one by one, so this is short; but one
/// that was handed over has its own time, which runs whether its turn has come or not.
struct PushQueue: Hashable, Codable, Sendable {
  static let limit = 64

  struct Entry: Hashable, Codable, Sendable {
    var push: Push
    var arrivedAt: Instant

    var endsBy: Instant { arrivedAt + ExtensionMachine.totalTime }
  }

  var entries: [Entry] = []

  /// When the first of them must have its text, served or not.
  var nextEnd: Instant? { entries.first?.endsBy }

  func contains(_ id: UInt64) -> Bool { entries.contains { $0.push.id == id } }

  /// Whether there was room.
  mutating func append(_ push: Push, arrivedAt: Instant) -> Bool {
    guard entries.count < Self.limit else { return false }
    entries.append(Entry(push: push, arrivedAt: arrivedAt))
    return true
  }

  mutating func removeFirst() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }

  mutating func remove(_ id: UInt64) -> Push? {
    entries.firstIndex { $0.push.id == id }.map { entries.remove(at: $0).push }
  }

  mutating func removeExpired(at now: Instant) -> [Push] {
    let expired = entries.prefix { now >= $0.endsBy }
    entries.removeFirst(expired.count)
    return expired.map(\.push)
  }

  mutating func removeAll() -> [Push] {
    defer { entries = [] }
    return entries.map(\.push)
  }
}
