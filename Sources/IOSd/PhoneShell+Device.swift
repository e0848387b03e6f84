import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  /// A file that cannot be written costs the switches their next start, and nothing now.
  func save(_ state: DeviceState) {
    do throws(SystemError) {
      try deviceFile.write(state)
    } catch { journal.note("how the phone is switched is forgotten with its end: \(error)") }
    saying { storage.follow(isFull: state.isStorageFull) }
  }

  func topUpStorage() { saying(storage.topUp) }

  /// Once each time that it is otherwise than before.
  private func saying(_ change: () -> Void) {
    let before = storage.words
    change()
    guard storage.words != before else { return }
    journal.note(storage.words ?? "there is room in the storage again")
  }
}
