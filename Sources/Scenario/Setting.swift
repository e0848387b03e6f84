import CoreShape

/// How the phone and the peer of a story are, where they are not as ever.
public enum Setting: Hashable, Sendable {
  case suspendsAfter(Span)
  /// No limits of time and memory, and tasks can be run by hand.
  case debugBuild
  case silentBudget(perHour: Int)
  /// In Low Power Mode the newest silent push waits, and is not lost.
  case holdsInLowPower
  case sendsSilentPushes
}
