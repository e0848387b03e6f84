import Ground

/// Requests of one kind at the node, until each is answered or its time is over.
struct Wanted<Name: Hashable & Sendable, Request: Hashable & Sendable>: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var name: Name
    var request: Request
    var giveUpAt: Instant
    /// On this connection.
    var isSent = false
  }

  var all: [Entry] = []

  func contains(_ name: Name) -> Bool { all.contains { $0.name == name } }

  mutating func add(_ name: Name, _ request: Request, until giveUpAt: Instant) {
    all.append(Entry(name: name, request: request, giveUpAt: giveUpAt))
  }

  mutating func remove(_ name: Name) { all.removeAll { $0.name == name } }

  func giveUpAt(besides others: [Name] = []) -> Instant? {
    all.lazy.filter { !others.contains($0.name) }.map(\.giveUpAt).min()
  }

  /// Removes all but the others, or those of them whose time is over.
  mutating func take(besides others: [Name] = [], lateAt now: Instant? = nil) -> [Name] {
    let taken = all.filter { entry in
      !others.contains(entry.name) && now.map { entry.giveUpAt <= $0 } ?? true
    }
    all.removeAll { taken.contains($0) }
    return taken.map(\.name)
  }
}

extension Wanted: Shiftable {
  mutating func shift(by span: TimeSpan) { for index in all.indices { all[index].giveUpAt.shift(by: span) } }
}
