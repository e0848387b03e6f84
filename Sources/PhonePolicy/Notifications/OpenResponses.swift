import Ground

/// Responses to notifications that the app is handling.
struct OpenResponses: Hashable, Sendable {
  private struct Open: Hashable {
    var id: UInt64
    var endsBy: Instant
  }

  private var open: [Open] = []

  var deadline: Instant? { open.lazy.map(\.endsBy).min() }

  mutating func begin(_ id: UInt64, until endsBy: Instant) { open.append(Open(id: id, endsBy: endsBy)) }

  mutating func end(_ id: UInt64, _ assertions: inout Assertions) {
    open.removeAll { $0.id == id }
    assertions.release(.notificationResponse(id))
  }

  mutating func endLate(_ assertions: inout Assertions, at now: Instant) {
    for response in open where response.endsBy <= now { end(response.id, &assertions) }
  }
}

extension OpenResponses: Shiftable {
  mutating func shift(by span: TimeSpan) { for index in open.indices { open[index].endsBy.shift(by: span) } }
}
