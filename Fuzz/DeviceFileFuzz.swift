import PhonePolicy

@testable import IOSd

/// The file with the device's state.
enum DeviceFileFuzz: FuzzTarget {
  static let name = "device-file"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    var other = DeviceState()
    for change: DeviceChange in [.locked, .focus(true), .battery(percent: 0), .storage(isFull: true)] {
      other.apply(change)
    }
    return [DeviceState(), other, other.afterBoot].map { Array($0.json.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let state = DeviceFile.read(bytes) else { return }
    promise((0...100).contains(state.batteryPercent), "a battery percentage is out of range")
    promise(state.isLocked || state.hasBeenUnlocked, "an unlocked phone has no record of an unlock")
    promise(
      DeviceFile.read(Array(state.json.utf8)) == state, "a device state does not round-trip")
  }
}
