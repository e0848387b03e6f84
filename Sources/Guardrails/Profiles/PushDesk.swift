import Ground

/// Decides when a push is read in an extension that needs a key for it: at once if the key is there or not needed,
/// otherwise when the keychain has answered, and in any case within `keyTime`. A push that is read without its key gets
/// the text of one that cannot be read.
///
/// The app may have replaced the key since this process read it: if a push cannot be opened with it, the keychain is
/// asked once more within the same time. A push that had to be read without the key is kept, and its payment recorded
/// when the key comes; its text is not told twice.
public struct PushDesk: Core {
  public static let name = "push-desk"

  public struct Configuration: Hashable, Codable, Sendable { public init() {} }

  public enum Event: Hashable, Codable, Sendable {
    case deadlineReached
    case launched
    case pushArrived(UInt64, isSealed: Bool)
    /// Answers of the keychain. A key is there from then on.
    case keyFound
    case keyMissing
    /// Such as before the first unlock; with the phone's reason.
    case keyWithheld(String)
    /// A push that was read with the key, and its payload cannot be opened with it.
    case notOpened(push: UInt64)
    /// The system will soon end the extension's work on this push.
    case expiryWarned(push: UInt64)
    case terminationRequested
  }

  public enum Directive: Hashable, Codable, Sendable {
    /// Answered by `keyFound`, `keyMissing` or `keyWithheld`.
    case askForKey
    /// Read this push and pass it to the guard. With the key answered by `notOpened` instead, if that is so.
    case read(push: UInt64, withKey: Bool)
    /// Keep the payload of this push when it is read.
    case keep(push: UInt64)
    /// Read this kept push with the key, for its record alone, and drop it.
    case record(push: UInt64)
    /// Drop this kept push.
    case drop(push: UInt64)
  }

  struct Waiting: Hashable, Codable, Sendable {
    var push: UInt64
    var until: Instant
    /// It was not opened with the key that was there before.
    var isAgain = false
  }

  /// The keychain answers in a millisecond; the text must be there within a second, and storing may take half of it.
  public static let keyTime = TimeSpan.milliseconds(250)

  private var hasKey = false
  private var isAsking = false
  private var waiting: [Waiting] = []
  /// Read with the key, while there is time to try again.
  private var opening: [Waiting] = []
  /// Told without the key; the oldest first.
  private var kept: [UInt64] = []
  /// A payload has at most 4 KB.
  public static let keptLimit = 16
  /// Beyond it a push is not tried again.
  static let openingLimit = 64

  public init(configuration: Configuration) {}

  public static var deadlineReached: Event { .deadlineReached }
  public var deadline: Instant? { waiting.map(\.until).min() }

  public mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    opening.removeAll { now >= $0.until }
    switch event {
    // Asked early: the answer arrives before the first push is read.
    case .launched: return hasKey ? [] : ask()
    case .pushArrived(let push, let isSealed):
      guard isSealed else { return [.read(push: push, withKey: hasKey)] }
      guard !(waiting + opening).contains(where: { $0.push == push }) else { return [] }
      waiting.append(Waiting(push: push, until: now + Self.keyTime))
      return hasKey ? read { _ in true } : ask()
    case .keyFound:
      hasKey = true
      isAsking = false
      defer { kept = [] }
      // First the records: the system may suspend the process as soon as the text of the last push is out.
      return kept.map { .record(push: $0) } + read { _ in true }
    case .notOpened(let push): return notOpened(push)
    // The next push asks again: the phone may have been unlocked, or the app opened for the first time.
    case .keyMissing, .keyWithheld:
      isAsking = false
      return read { _ in true }
    case .expiryWarned(let push): return read { $0.push == push }
    case .terminationRequested: return read { _ in true }
    case .deadlineReached: return read { now >= $0.until }
    }
  }

  /// Without the time for another question the push has the text of one that cannot be read.
  private mutating func notOpened(_ push: UInt64) -> [Directive] {
    guard let index = opening.firstIndex(where: { $0.push == push && !$0.isAgain }) else {
      opening.removeAll { $0.push == push }
      return [.read(push: push, withKey: false)]
    }
    var again = opening.remove(at: index)
    again.isAgain = true
    waiting.append(again)
    hasKey = false
    return ask()
  }

  private mutating func ask() -> [Directive] {
    guard !isAsking else { return [] }
    isAsking = true
    return [.askForKey]
  }

  private mutating func read(_ isRead: (Waiting) -> Bool) -> [Directive] {
    let now = waiting.filter(isRead)
    waiting.removeAll(where: isRead)
    guard !hasKey else {
      opening = (opening + now).suffix(Self.openingLimit)
      return now.map { .read(push: $0.push, withKey: true) }
    }
    return now.flatMap { keep($0.push) + [.read(push: $0.push, withKey: false)] }
  }

  private mutating func keep(_ push: UInt64) -> [Directive] {
    kept.append(push)
    guard kept.count > Self.keptLimit else { return [.keep(push: push)] }
    return [.drop(push: kept.removeFirst()), .keep(push: push)]
  }
}
