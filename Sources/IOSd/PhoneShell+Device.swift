import DaemonRuntime
import PhonePolicy

extension PhoneShell {
  /// A failed write only loses the switches at the next start.
  func save(_ state: DeviceState) {
    do throws(SystemError) {
      try deviceFile.write(state)
    } catch { journal.note("the device's switches will be lost when iosd ends: \(error)") }
    journalingChange { storage.follow(isFull: state.isStorageFull) }
  }

  func topUpStorage() { journalingChange(storage.topUp) }

  /// Journals the storage's state each time it changes.
  private func journalingChange(_ change: () -> Void) {
    let before = storage.words
    change()
    guard storage.words != before else { return }
    journal.note(storage.words ?? "the storage has free space again")
  }
}
