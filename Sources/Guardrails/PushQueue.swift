import Ground

/// Pushes that arrived while another was served. The phone delivers them one by one, so the queue is short; but the
/// time of each runs from its arrival.
struct PushQueue: Hashable, Codable, Sendable {
  static let limit = 64

  struct Entry: Hashable, Codable, Sendable {
    var push: Push
    var arrivedAt: Instant

    var endsBy: Instant { arrivedAt + ExtensionMachine.totalTime }
  }

  var entries: [Entry] = []

  /// When the first push must have its text, served or not.
  var nextEnd: Instant? { entries.first?.endsBy }

  func contains(_ id: UInt64) -> Bool { entries.contains { $0.push.id == id } }

  /// Returns whether there was room.
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
