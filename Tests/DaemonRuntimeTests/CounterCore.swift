/// A small core for tests: it counts, announces each total, and sets a deadline.
struct CounterCore: Core {
  struct Configuration: Codable, Hashable, Sendable { var step: Int64 }
  enum Event: Codable, Hashable, Sendable {
    case counted(by: UInt64)
    case echoed
    case deadlineReached
  }
  enum Directive: Codable, Hashable, Sendable {
    case announce(total: UInt64, note: String?)
    case ring
  }

  static let name = "counter"
  static let deadlineReached = Event.deadlineReached

  var configuration: Configuration
  var total: UInt64 = 0
  var deadline: Instant?

  init(configuration: Configuration) { self.configuration = configuration }

  mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    switch event {
    case .counted(let amount):
      total &+= amount
      deadline = now + TimeSpan(nanoseconds: configuration.step)
      return [.announce(total: total, note: total.isMultiple(of: 2) ? "even \"\n" : nil)]
    case .echoed: return []
    case .deadlineReached:
      guard let due = deadline, due <= now else { return [] }
      deadline = nil
      return [.ring]
    }
  }
}
