/// How a process ended, as one stored word: `EndReason` without its numbers.
public enum EndCode: String, Hashable, Codable, Sendable, CaseIterable {
  case ended
  case endedAsAsked = "ended-as-asked"
  case gaveUp = "gave-up"
  case crashed
  case killedFromOutside = "killed-from-outside"
  /// It ended together with an iosd that was killed.
  case lost
  // Killed by the phone.
  case swipedAway = "swiped-away"
  case timeLimit = "time-limit"
  case startLimit = "start-limit"
  case memoryLimit = "memory-limit"
  case graceOver = "grace-over"
  case lockHeldWhileSuspended = "lock-held-while-suspended"
  case watchdog
  case tasksNotEnded = "tasks-not-ended"
  case reboot
  case afterContent = "after-content"
  case reclaimed
}
