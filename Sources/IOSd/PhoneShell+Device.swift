import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  /// A file that cannot be written costs the switches their next start, and nothing now.
  func save(_ state: DeviceState) {
    do throws(SystemError) {
      try deviceFile.write(state)
    } catch { journal.note("how the phone is switched is forgotten with its end: \(error)") }
    let before = storage.words
    storage.follow(isFull: state.isStorageFull)
    guard storage.words != before else { return }
    journal.note(storage.words ?? "there is room in the storage again")
  }
}
