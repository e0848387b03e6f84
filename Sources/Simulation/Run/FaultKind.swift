/// The kinds of fault that a run can meet; each seed turns some of them off.
public enum FaultKind: String, Hashable, Sendable, CaseIterable {
  case killApp = "the app is killed"
  case killExtension = "the extension is killed"
  case freezeApp = "the app is frozen"
  case freezeExtension = "the extension is frozen"
  case freezeInside = "a process is frozen inside a transaction"
  case loseLetter = "a presence message is lost"
  case repeatLetter = "a presence message comes twice"
  case delayLetters = "presence messages are late"
  case cut = "a connection breaks"
  case restartPeer = "the peer restarts"
  case replaceLock = "a lock file is replaced"
  case loseBeat = "a beat is lost"
  case reboot = "the phone reboots"
  case deviceSleeps = "the device sleeps"
  case losePush = "a push is lost"
  case restoreCopy = "an old copy of the database is put back"
}
