/// How a process came to its end, in one word that is written down: `EndReason` without its numbers.
public enum EndCode: String, Hashable, Codable, Sendable, CaseIterable {
  case ended
  case endedAsAsked = "ended-as-asked"
  case gaveUp = "gave-up"
  case crashed
  case killedFromOutside = "killed-from-outside"
  /// With a phone that was killed itself.
  case lost
  // Killed by the phone.
  case swipedAway = "swiped-away"
  case timeLimit = "time-limit"
  case memoryLimit = "memory-limit"
  case graceOver = "grace-over"
  case lockHeldWhileSuspended = "lock-held-while-suspended"
  case watchdog
  case tasksNotEnded = "tasks-not-ended"
  case reboot
}
