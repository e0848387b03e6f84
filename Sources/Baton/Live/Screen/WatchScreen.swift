import Ground

/// The screen of `baton watch`: what happened in, lines of text out.
package struct WatchScreen: Machine {
  package enum Event: Hashable, Sendable {
    /// A look at the phone has ended.
    case looked(LiveView)
    case sized(columns: Int, rows: Int)
    case pressed(WatchKey)
    case performed(LiveOutcome)
    case deadlineReached
  }

  package enum Directive: Hashable, Sendable {
    /// Answered by `performed`. Those of one lane are carried out one after the other.
    case perform(LiveAction)
    /// The lines may have changed.
    case draw
    /// What is on the terminal is unknown.
    case drawAgain
    case leave
  }

  /// A lane that does not come to an end takes no more work.
  private static let waitingMax = 3
  private static let messageStays = TimeSpan.seconds(20)
  /// A look takes milliseconds, but seconds if a daemon does not answer.
  private static let lookIsLateAfter = TimeSpan.seconds(3)

  package static var deadlineReached: Event { .deadlineReached }

  private(set) var view: LiveView
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var showsHelp = false
  private(set) var outcome: LiveOutcome?
  private(set) var waiting: [LiveAction] = []
  private(set) var isLate = false
  private var outcomeEnds: Instant?
  private var lookedAt: Instant

  package init(home: String, columns: Int, rows: Int, at now: Instant) {
    view = LiveView(home: home, wallNs: 0)
    view.holder.sentence = "looking …"
    self.columns = columns
    self.rows = rows
    lookedAt = now
  }

  package var deadline: Instant? {
    [outcomeEnds, isLate ? nil : lookedAt + Self.lookIsLateAfter].compactMap { $0 }.min()
  }

  package mutating func handle(_ event: Event, at now: Instant) -> [Directive] {
    switch event {
    case .looked(let view):
      self.view = view
      lookedAt = now
      isLate = false
      return [.draw]
    case .sized(let columns, let rows):
      (self.columns, self.rows) = (columns, rows)
      return [.drawAgain]
    case .performed(let outcome):
      if let place = waiting.firstIndex(of: outcome.action) { waiting.remove(at: place) }
      say(outcome, at: now)
      return [.draw]
    case .pressed(let key): return press(key, at: now)
    case .deadlineReached: return passTime(now)
    }
  }

  private mutating func press(_ key: WatchKey, at now: Instant) -> [Directive] {
    switch key {
    case .leave: return [.leave]
    case .drawAgain: return [.drawAgain]
    case .help:
      showsHelp.toggle()
      return [.draw]
    case .closeHelp:
      showsHelp = false
      return [.draw]
    case .action(let action):
      let before = waiting.filter { $0.lane == action.lane }
      guard before.count < Self.waitingMax else {
        say(LiveOutcome(action, "not done, as `\(before[0].words)` still waits", isFailure: true), at: now)
        return [.draw]
      }
      waiting.append(action)
      outcome = nil
      outcomeEnds = nil
      return [.perform(action), .draw]
    }
  }

  private mutating func say(_ outcome: LiveOutcome, at now: Instant) {
    self.outcome = outcome
    outcomeEnds = now + Self.messageStays
  }

  private mutating func passTime(_ now: Instant) -> [Directive] {
    var directives: [Directive] = []
    if let end = outcomeEnds, end <= now {
      outcome = nil
      outcomeEnds = nil
      directives = [.draw]
    }
    if !isLate, lookedAt + Self.lookIsLateAfter <= now {
      isLate = true
      directives = [.draw]
    }
    return directives
  }
}
