import Simulation

/// A small world in which one kind of thing may go wrong: small enough for most of it to be seen, and for a story to be
/// short.
struct Trial: Sendable {
  /// What it takes, as half a sentence.
  var words: String
  var bounds: Bounds

  private init(_ words: String, _ counts: [Allowance: Int]) {
    self.words = words
    bounds = Bounds()
    bounds[.pushes] = 1
    bounds[.opens] = 1
    for (allowance, count) in counts { bounds[allowance] = count }
  }

  static let nothing = Trial("nothing goes wrong", [.preemptions: 2])
  static let lateMessage = Trial("a message is lost, repeated or late", [.messageFaults: 1])
  static let crash = Trial("a process is killed", [.crashes: 1])
  static let task = Trial("the app has a task in the background", [.tasks: 1])
  static let freeze = Trial("a process is frozen", [.freezes: 1])

  /// The small ones first: the shorter the story.
  static let ofRules: [Trial] = [
    nothing,
    Trial("a lock file is replaced", [.replacedLocks: 1]),
    Trial("a connection is slow", [.slowConnections: 1]),
    task, lateMessage, crash, freeze,
  ]

  /// What the coordinations of others meet in daily life.
  static let ofCoordinations: [Trial] = [
    nothing, lateMessage, crash,
    Trial("the wall clock is set", [.clockSteps: 1]),
    task, freeze,
  ]

  /// The apps of the other two have no tasks that go on in the background, as far as they are modelled.
  func isOf(_ coordination: Coordination) -> Bool {
    bounds[.tasks] == 0 || coordination == .phoenix || coordination == .baton
  }

  /// A world with more states is given up.
  static let statesMax = 100_000
}
