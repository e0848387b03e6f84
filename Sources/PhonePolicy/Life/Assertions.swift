import Ground

/// Something that keeps the app awake in the background.
public enum Assertion: Hashable, Codable, Sendable {
  /// `beginBackgroundTask`: the app asked for time to finish its work.
  case backgroundTask(id: UInt64, name: String)
  /// The app handles a silent push.
  case silentPush(UInt64)
  /// The app handles the user's response to a notification.
  case notificationResponse(UInt64)
  /// A scheduled background task runs.
  case scheduledTask(String)
  /// The app plays audio.
  case audio
}

/// A task that the app began with `beginBackgroundTask`.
public struct OwnTask: Hashable, Codable, Sendable {
  public var id: UInt64
  public var name: String
}

/// All assertions that keep the app awake, oldest first.
public struct Assertions: Hashable, Codable, Sendable {
  public struct Held: Hashable, Codable, Sendable {
    public var assertion: Assertion
    public var since: Instant
  }

  public private(set) var held: [Held] = []

  public var isEmpty: Bool { held.isEmpty }

  public func contains(_ assertion: Assertion) -> Bool { held.contains { $0.assertion == assertion } }

  /// Holding an assertion twice counts once.
  mutating func hold(_ assertion: Assertion, at now: Instant) {
    guard !contains(assertion) else { return }
    held.append(Held(assertion: assertion, since: now))
  }

  /// False if it was not held.
  @discardableResult mutating func release(_ assertion: Assertion) -> Bool {
    guard let index = held.firstIndex(where: { $0.assertion == assertion }) else { return false }
    held.remove(at: index)
    return true
  }

  var oldestOwnTask: Instant? {
    held.first { if case .backgroundTask = $0.assertion { true } else { false } }?.since
  }

  mutating func releaseAll() { held = [] }

  /// The app's `beginBackgroundTask` tasks, oldest first.
  public var ownTasks: [OwnTask] {
    held.compactMap {
      if case .backgroundTask(let id, let name) = $0.assertion { OwnTask(id: id, name: name) } else { nil }
    }
  }
}

extension Assertions: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    for index in held.indices { held[index].since.shift(by: span) }
  }
}
