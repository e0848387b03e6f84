import Museum
import Simulation

/// A small world with one kind of fault: small enough to be explored, and for a short story.
struct Trial: Sendable {
  /// The condition, as a clause.
  var words: String
  var bounds: Bounds

  private init(_ words: String, _ counts: [Allowance: Int]) {
    self.words = words
    bounds = Bounds(counts.merging([.pushes: 1, .opens: 1]) { given, _ in given })
  }

  static let nothing = Trial("nothing goes wrong", [.preemptions: 2])
  static let lateMessage = Trial("a message is lost, repeated or late", [.messageFaults: 1])
  static let crash = Trial("a process is killed", [.crashes: 1])
  static let task = Trial("the app has a long-lived task", [.tasks: 1])
  static let freeze = Trial("a process is frozen", [.freezes: 1])

  /// The small ones first: their stories are shorter.
  static let ofRules: [Trial] = [
    nothing,
    Trial("a lock file is replaced", [.replacedLocks: 1]),
    Trial("a connection is slow", [.slowConnections: 1]),
    task, lateMessage, crash, freeze,
  ]

  /// Everyday conditions, for comparing coordinations.
  static let ofCoordinations: [Trial] = [
    nothing, lateMessage, crash,
    Trial("the wall clock is set", [.clockSteps: 1]),
    task, freeze,
  ]

  func isOf(_ coordination: Coordination) -> Bool { bounds[.tasks] == 0 || coordination.hasTasks }

  /// The exploration gives up beyond this.
  static let statesMax = 100_000
}
