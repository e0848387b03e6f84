import Ground

/// Work that the app must not leave half done when the user goes home: it keeps the node for it, and the phone is
/// asked for the time.
public enum LongLivedTask: Hashable, Codable, Sendable {
  /// A payment is half-way through the channel: the node itself says so.
  case settling
  /// A splice is half-way, whoever has begun it: the node itself says so.
  case splicing
  /// Something the wallet has begun under a name of its own: an outgoing payment, a splice; or the node: a payment that comes in parts.
  case named(String)

  /// Parts of a payment have come, and the rest is on its way.
  package static let multiPartPayment = LongLivedTask.named("incoming multi-part payment")
}

/// One beginning of a named task. An end belongs to its beginning: a late one does not end a newer task of that name.
public struct TaskBeginning: Hashable, Codable, Sendable {
  public var name: String
  public var generation: UInt64

  public init(name: String, generation: UInt64) {
    self.name = name
    self.generation = generation
  }
}

/// The tasks that are under way. One that is begun twice counts once, for as long as its newest beginning.
public struct LongLivedTasks: Hashable, Sendable {
  /// After so long nobody believes any more that it will end.
  public static let longest = TimeSpan.seconds(180)

  struct Held: Hashable, Sendable {
    var task: LongLivedTask
    var generation: UInt64
    var endsAt: Instant
  }

  private(set) var held: [Held] = []

  var isEmpty: Bool { held.isEmpty }
  var count: Int { held.count }
  /// The names of those that have one, for people.
  var name: String? { names.isEmpty ? nil : names.joined(separator: ", ") }
  var names: [String] { held.compactMap { if case .named(let name) = $0.task { name } else { nil } } }
  var hasNamed: Bool { held.contains { if case .named = $0.task { true } else { false } } }
  var deadline: Instant? { held.map(\.endsAt).min() }

  /// An older beginning than the one that counts changes nothing.
  mutating func begin(_ task: LongLivedTask, generation: UInt64 = 0, at now: Instant) {
    let beginning = Held(task: task, generation: generation, endsAt: now + Self.longest)
    guard let index = held.firstIndex(where: { $0.task == task }) else { return held.append(beginning) }
    if held[index].generation <= generation { held[index] = beginning }
  }

  mutating func end(_ task: LongLivedTask, generation: UInt64 = 0) {
    held.removeAll { $0.task == task && $0.generation == generation }
  }

  /// What the node has begun and ended, and no more: what is said again is no new task, and what was given up stays so.
  mutating func follow(_ activity: NodeActivity, since before: NodeActivity, at now: Instant) {
    follow(.settling, activity.isSettling, since: before.isSettling, at: now)
    follow(.splicing, activity.isSplicing, since: before.isSplicing, at: now)
    follow(
      .multiPartPayment, !activity.collecting.isEmpty, since: !before.collecting.isEmpty, at: now)
  }

  private mutating func follow(
    _ task: LongLivedTask, _ isUnderWay: Bool, since wasUnderWay: Bool, at now: Instant
  ) {
    guard isUnderWay != wasUnderWay else { return }
    if isUnderWay { begin(task, at: now) } else { end(task) }
  }

  mutating func endOverdue(at now: Instant) { held.removeAll { $0.endsAt <= now } }

  mutating func endAll() { held = [] }
}

extension LongLivedTasks: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    for index in held.indices { held[index].endsAt.shift(by: span) }
  }
}
