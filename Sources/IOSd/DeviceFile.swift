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
