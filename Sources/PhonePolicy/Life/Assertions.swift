import Ground

/// Something that keeps the app awake in the background.
public enum Assertion: Hashable, Codable, Sendable {
  /// It asked for time to finish what it is doing: `beginBackgroundTask`.
  case backgroundTask(id: UInt64, name: String)
  /// A silent push is in its hands.
  case silentPush(UInt64)
  /// It is told what the user did with a notification.
  case notificationResponse(UInt64)
  /// A background task that it had scheduled runs.
  case scheduledTask(String)
  /// It plays audio.
  case audio
}

/// A task that the app began by itself.
public struct OwnTask: Hashable, Codable, Sendable {
  public var id: UInt64
  public var name: String
}

/// All that keeps the app awake, in the order in which it came.
public struct Assertions: Hashable, Codable, Sendable {
  public struct Held: Hashable, Codable, Sendable {
    public var assertion: Assertion
    public var since: Instant
  }

  public private(set) var held: [Held] = []

  public var isEmpty: Bool { held.isEmpty }

  public func contains(_ assertion: Assertion) -> Bool { held.contains { $0.assertion == assertion } }

  /// The same one twice counts once.
  mutating func hold(_ assertion: Assertion, at now: Instant) {
    guard !contains(assertion) else { return }
    held.append(Held(assertion: assertion, since: now))
  }

  /// False if it was not held.
  @discardableResult
  mutating func release(_ assertion: Assertion) -> Bool {
    guard let index = held.firstIndex(where: { $0.assertion == assertion }) else { return false }
    held.remove(at: index)
    return true
  }

  var oldestOwnTask: Instant? {
    held.first { if case .backgroundTask = $0.assertion { true } else { false } }?.since
  }

  mutating func releaseAll() { held = [] }

  /// The tasks that the app itself began, in their order.
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
