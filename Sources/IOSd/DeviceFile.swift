import DaemonRuntime
import Glibc
import PhonePolicy

/// The file of the device's switches. It is replaced atomically.
struct DeviceFile {
  static let sizeMax = 4096

  private let path: String
  /// The state at the start.
  let state: DeviceState
  /// The file exists and is malformed.
  let wasDamaged: Bool

  init(_ path: String) throws(SystemError) {
    self.path = path
    guard let bytes = try SmallFile.readOwn(path, limit: Self.sizeMax + 1) else {
      (state, wasDamaged) = (DeviceState(), false)
      return
    }
    let kept = Self.read(bytes)
    state = (kept ?? DeviceState()).afterBoot
    wasDamaged = kept == nil
  }

  /// Nil if malformed.
  static func read(_ bytes: [UInt8]) -> DeviceState? {
    guard bytes.count <= sizeMax else { return nil }
    return DeviceState(json: bytes).flatMap { $0.isPossible ? $0 : nil }
  }

  func write(_ state: DeviceState) throws(SystemError) {
    try WholeFile.write(Array("\(state.json)\n".utf8), to: path)
  }
}

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
