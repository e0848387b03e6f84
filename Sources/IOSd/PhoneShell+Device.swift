import DaemonRuntime
import Glibc
import PhonePolicy

extension PhoneShell {
  /// A failed write only loses the switches at the next start.
  func save(_ state: DeviceState) {
    do throws(SystemError) {
      try deviceFile.write(state)
    } catch { journal.note("the device's switches will be lost when iosd ends: \(error)") }
    markStorage(isFull: state.isStorageFull)
  }

  /// The Database module of app and extension looks for the file before each write that needs more room.
  func markStorage(isFull: Bool) {
    guard isFull != (access(home.fullDisk, F_OK) == 0) else { return }
    guard isFull else {
      unlink(home.fullDisk)
      return journal.note("the storage has room again")
    }
    do throws(SystemError) {
      close(try PlainFile.open(home.fullDisk, O_RDWR | O_CREAT))
      journal.note("the storage is full: writes of app and extension that need more room fail")
    } catch { journal.note("the storage is not full for the wallet: \(error)") }
  }
}
