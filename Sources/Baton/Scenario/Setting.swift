import Ground
import PhonePolicy

/// A setting of a story's phone or peer that differs from the default.
public enum Setting: Hashable, Sendable {
  /// The wallet on the phone, by its profile's name.
  case wallet(String)
  case suspendsAfter(TimeSpan)
  /// The app's time for background tasks.
  case backgroundTime(TimeSpan)
  /// How long an outgoing payment takes to its recipient.
  case arrivesAfter(TimeSpan)
  /// The peer stores the wallet's backup at most once in this time.
  case storesBackupEvery(TimeSpan)
  /// How long the peer holds a payment for a wallet that is away.
  case holdsPayments(TimeSpan)
  /// Senders try again: as the peer hints, or by the schedule without hints.
  case sendersRetry(byHints: Bool)
  /// What each sender that tries again can spend.
  case sendersHave(amountSat: UInt64)
  /// How long the start of the wallet's node waits for something outside before it dials.
  case startTakes(TimeSpan)
  /// No limits of time and memory, and tasks can be run by hand.
  case debugBuild
  /// The app's time for a silent push in the background.
  case silentTime(TimeSpan)
  case silentBudget(perHour: Int)
  /// In Low Power Mode the newest silent push waits instead of being dropped.
  case holdsInLowPower
  case sendsSilentPushes
  /// How long an hour of the phone's background budgets takes.
  case hourTakes(TimeSpan)
  /// The app declares the background mode audio.
  case hasAudioMode
  /// The app plays inaudible audio in the background.
  case playsAudio
  /// The app submits a processing task that removes old journals.
  case cleansUp
  case warnsOfMemory(megabytes: Int)
  /// The extension is signed without the access group of the seed.
  case extensionWithoutKeychain
  /// What iOS does with the extension when it has delivered its content.
  case afterContent(AfterContent)
  /// The extension's time from its launch to its first message.
  case extensionStarts(TimeSpan)
  /// How long the extension takes from its launch to its first message.
  case extensionTakesToStart(TimeSpan)
  /// A process that is suspended with a lock in the container is not killed.
  case sparesLockHolders
  /// The process begins to read the database and never finishes, as by mistake.
  case leavesReadOpen(Role)
  /// A suspended extension is not resumed: the next push starts another process.
  case startsExtensionAnew
  /// The seed can only be read while the phone is unlocked.
  case seedForUnlockedPhone
}
