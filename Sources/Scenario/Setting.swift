import CoreShape

/// How the phone and the peer of a story are, where they are not as ever.
public enum Setting: Hashable, Sendable {
  case suspendsAfter(Span)
  /// No limits of time and memory, and tasks can be run by hand.
  case debugBuild
  /// What the app has for a silent push in the background.
  case silentTime(Span)
  case silentBudget(perHour: Int)
  /// In Low Power Mode the newest silent push waits, and is not lost.
  case holdsInLowPower
  case sendsSilentPushes
}
