import Ground

/// How the phone and the peer of a story are, where they are not as ever.
public enum Setting: Hashable, Sendable {
  case suspendsAfter(TimeSpan)
  /// What the app has for tasks of its own in the background.
  case backgroundTime(TimeSpan)
  /// How long what the wallet pays takes to its recipient.
  case arrivesAfter(TimeSpan)
  /// No limits of time and memory, and tasks can be run by hand.
  case debugBuild
  /// What the app has for a silent push in the background.
  case silentTime(TimeSpan)
  case silentBudget(perHour: Int)
  /// In Low Power Mode the newest silent push waits, and is not lost.
  case holdsInLowPower
  case sendsSilentPushes
  /// How long an hour of the phone's background budgets takes.
  case hourTakes(TimeSpan)
  /// The app has declared the background mode.
  case hasAudioMode
  /// In the background it plays what nobody hears.
  case playsAudio
  /// It asks for a processing task, to remove old journals.
  case cleansUp
  case warnsOfMemory(megabytes: Int)
  /// The extension is signed without the access group of the seed.
  case extensionWithoutKeychain
  /// The seed's item can be read only while the phone is unlocked.
  case seedForUnlockedPhone
}
