import Ground

/// Work that the app finishes after the user goes home: it keeps the node and begins a background task.
public enum LongLivedTask: Hashable, Codable, Sendable {
  /// An HTLC is pending in the channel, as the node reports.
  case settling
  /// A splice is pending, begun by either process, as the node reports.
  case splicing
  /// A task with a name: an outgoing payment or splice begun by the wallet, or an incoming multi-part payment.
  case named(String)

  /// Some parts of a payment have arrived, the rest is awaited.
  package static let multiPartPayment = LongLivedTask.named("incoming multi-part payment")
}

/// One beginning of a named task. A late end of an older generation does not end a newer task of that name.
public struct TaskBeginning: Hashable, Codable, Sendable {
  public var name: String
  public var generation: UInt64

  public init(name: String, generation: UInt64) {
    self.name = name
    self.generation = generation
  }
}

/// The pending tasks. A task begun twice counts once, until its newest beginning ends.
public struct LongLivedTasks: Hashable, Sendable {
  /// A task that has not ended by then is dropped.
  public static let longest = TimeSpan.seconds(180)

  struct Held: Hashable, Sendable {
    var task: LongLivedTask
    var generation: UInt64
    var endsAt: Instant
  }

  private(set) var held: [Held] = []

  var isEmpty: Bool { held.isEmpty }
  var count: Int { held.count }
  /// The names of the named tasks, for users.
  var name: String? { names.isEmpty ? nil : names.joined(separator: ", ") }
  var names: [String] { held.compactMap { if case .named(let name) = $0.task { name } else { nil } } }
  var hasNamed: Bool { held.contains { if case .named = $0.task { true } else { false } } }
  var deadline: Instant? { held.map(\.endsAt).min() }

  /// An older generation changes nothing.
  mutating func begin(_ task: LongLivedTask, generation: UInt64 = 0, at now: Instant) {
    let beginning = Held(task: task, generation: generation, endsAt: now + Self.longest)
    guard let index = held.firstIndex(where: { $0.task == task }) else { return held.append(beginning) }
    if held[index].generation <= generation { held[index] = beginning }
  }

  mutating func end(_ task: LongLivedTask, generation: UInt64 = 0) {
    held.removeAll { $0.task == task && $0.generation == generation }
  }

  /// Follows only changes: repeated activity is no new task, and a task that timed out stays ended.
  mutating func follow(_ activity: NodeActivity, since before: NodeActivity, at now: Instant) {
    follow(.settling, activity.isSettling, since: before.isSettling, at: now)
    follow(.splicing, activity.isSplicing, since: before.isSplicing, at: now)
    follow(.multiPartPayment, !activity.collecting.isEmpty, since: !before.collecting.isEmpty, at: now)
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
