import DaemonRuntime
import Glibc
import PhonePolicy
import Reports

/// The file that keeps how the phone is switched. It is replaced whole: nobody reads half of one.
struct DeviceFile {
  static let sizeMax = 4096

  private let path: String
  /// What to begin with.
  let state: DeviceState
  /// There was a file, and nothing could be made of it.
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

  /// Nil for what is none.
  static func read(_ bytes: [UInt8]) -> DeviceState? {
    guard bytes.count <= sizeMax else { return nil }
    return DeviceRecord(json: bytes)?.state
  }

  func write(_ state: DeviceState) throws(SystemError) {
    try WholeFile.write(Array("\(DeviceRecord(state).json)\n".utf8), to: path)
  }
}
