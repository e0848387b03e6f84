import Ground

/// Decides when a push is read in an extension that needs a key for it: at once if the key is there or not needed,
/// otherwise when the keychain has answered, and in any case within `keyTime`. A push that is read without its key gets
/// the text of one that cannot be read.
public struct PushDesk: Core {
  public static let name = "push-desk"

  public struct Configuration: Hashable, Codable, Sendable {
    public init() {}
  }

  public enum Event: Hashable, Codable, Sendable {
    case deadlineReached
    case launched
    case pushArrived(UInt64, isSealed: Bool)
    /// Answers of the keychain. A key is there from then on.
    case keyFound
    case keyMissing
    /// Such as before the first unlock; with the phone's reason.
    case keyWithheld(String)
    /// The system will soon end the extension's work on this push.
    case expiryWarned(push: UInt64)
    case terminationRequested
  }

  public enum Directive: Hashable, Codable, Sendable {
    /// Answered by `keyFound`, `keyMissing` or `keyWithheld`.
    case askForKey
    /// Read this push and pass it to the guard.
    case read(push: UInt64, withKey: Bool)
  }

  struct Waiting: Hashable, Codable, Sendable {
    var push: UInt64
    var until: Instant
  }

  /// The keychain answers in a millisecond; the text must be there within a second, and storing may take half of it.
  public static let keyTime = TimeSpan.milliseconds(250)

  private var hasKey = false
  private var isAsking = false
  private var waiting: [Waiting] = []

  public init(configuration: Configuration) {}

  public static var deadlineReached: Event { .deadlineReached }
  public var deadline: Instant? { waiting.map(\.until).min() }

  public mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    switch event {
    // Asked early: the answer arrives before the first push is read.
    case .launched: return hasKey ? [] : ask()
    case .pushArrived(let push, let isSealed):
      guard isSealed, !hasKey else { return [.read(push: push, withKey: hasKey)] }
      guard !waiting.contains(where: { $0.push == push }) else { return [] }
      waiting.append(Waiting(push: push, until: now + Self.keyTime))
      return ask()
    case .keyFound:
      hasKey = true
      isAsking = false
      return read { _ in true }
    // The next push asks again: the phone may have been unlocked, or the app opened for the first time.
    case .keyMissing, .keyWithheld:
      isAsking = false
      return read { _ in true }
    case .expiryWarned(let push): return read { $0.push == push }
    case .terminationRequested: return read { _ in true }
    case .deadlineReached: return read { now >= $0.until }
    }
  }

  private mutating func ask() -> [Directive] {
    guard !isAsking else { return [] }
    isAsking = true
    return [.askForKey]
  }

  private mutating func read(_ isRead: (Waiting) -> Bool) -> [Directive] {
    let now = waiting.filter(isRead)
    waiting.removeAll(where: isRead)
    return now.map { .read(push: $0.push, withKey: hasKey) }
  }
}
