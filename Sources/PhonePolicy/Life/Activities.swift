import Ground

/// The expiring activities of one process (`performExpiringActivity`): while one of them runs the process is not
/// suspended. Unlike `beginBackgroundTask` an extension has them too.
public struct Activities: Hashable, Codable, Sendable {
  /// iOS was seen to run 64 at once; a further one expires as it begins.
  public static let atOnceMax = 64
  /// From telling a process that its activity expires to suspending the process.
  static let grace = TimeSpan.seconds(1)

  private struct Activity: Hashable, Codable, Sendable {
    var id: UInt64
    var endsBy: Instant
    var isExpired = false
  }

  private var open: [Activity] = []

  public var isEmpty: Bool { open.isEmpty }

  /// False if it expires at once.
  mutating func begin(_ id: UInt64, endsBy: Instant) -> Bool {
    guard open.count < Self.atOnceMax, !open.contains(where: { $0.id == id }) else { return false }
    open.append(Activity(id: id, endsBy: endsBy))
    return true
  }

  mutating func end(_ id: UInt64) { open.removeAll { $0.id == id } }

  mutating func endAll() { open = [] }

  /// The activities that expire now. One that has not ended after its grace is forgotten.
  mutating func expire(at now: Instant) -> [UInt64] {
    open.removeAll { $0.isExpired && $0.endsBy <= now }
    var expired: [UInt64] = []
    for place in open.indices where !open[place].isExpired && open[place].endsBy <= now {
      open[place].isExpired = true
      open[place].endsBy = now + Self.grace
      expired.append(open[place].id)
    }
    return expired
  }

  var deadline: Instant? { open.lazy.map(\.endsBy).min() }
}

extension Activities: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    for place in open.indices { open[place].endsBy.shift(by: span) }
  }
}

extension Phone {
  mutating func beginActivity(_ role: Role, _ id: UInt64, at now: Instant) -> [PhoneDirective] {
    let expired = [PhoneDirective.tell(role, .activityExpired(id: id))]
    switch (role, app, service) {
    case (.app, .notRunning, _), (.extension, _, .notRunning): return []
    case (.app, .suspended, _), (.app, .terminating, _), (.extension, _, .suspended),
      (.extension, _, .ending):
      return expired
    default: return activities[role].begin(id, endsBy: now + configuration.activityTime) ? [] : expired
    }
  }

  mutating func endActivity(_ role: Role, _ id: UInt64) -> [PhoneDirective] {
    activities[role].end(id)
    return []
  }

  mutating func expireActivities(at now: Instant) -> [PhoneDirective] {
    Role.allCases.flatMap { role in
      activities[role].expire(at: now).map { .tell(role, .activityExpired(id: $0)) }
    }
  }
}
