/// The kinds of fault in runs; each seed turns some of them off.
public enum FaultKind: String, Hashable, Sendable, CaseIterable {
  case killApp = "the app is killed"
  case killExtension = "the extension is killed"
  case freezeApp = "the app is frozen"
  case freezeExtension = "the extension is frozen"
  case freezeInside = "a process is frozen inside a transaction"
  case losePresence = "a presence message is lost"
  case repeatPresence = "a presence message comes twice"
  case delayPresence = "presence messages are late"
  case cut = "a connection breaks"
  case restartPeer = "the peer restarts"
  case replaceLock = "a lock file is replaced"
  case loseBeat = "a beat is lost"
  case reboot = "the phone reboots"
  case deviceSleeps = "the device sleeps"
  case losePush = "a push is lost"
  case stepClock = "the wall clock is set"
  case noNetwork = "the phone has no network"
  case restoreCopy = "an old copy of the database is put back"
  /// Drawn apart from the others, so that they are the same in all runs of a seed.
  case otherDevice = "the user moves the wallet to another device"

  static let drawn = allCases.filter { $0 != .otherDevice }
}
