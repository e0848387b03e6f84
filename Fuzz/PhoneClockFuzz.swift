import Ground
import Heartbeat

@testable import DaemonRuntime

/// The phone's clock, also with a valid checksum.
enum PhoneClockFuzz: FuzzTarget {
  static let name = "phone-clock"
  static let longestInput = 80

  static var seeds: [[UInt8]] {
    [
      PhoneClock(boot: BootID(high: 1, low: 2), wallOffsetNanoseconds: -3, bootOffsetNanoseconds: .max)
        .encoded()
    ]
  }

  static func feed(_ bytes: [UInt8]) {
    read(bytes)
    guard bytes.count >= PhoneClock.size else { return }
    let content = Array(bytes.prefix(56))
    let checksum = PhoneClock.checksum(content[...])
    read(content + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) })
  }

  private static func read(_ bytes: [UInt8]) {
    guard let clock = PhoneClock(decoding: bytes) else { return }
    promise(PhoneClock(decoding: clock.encoded()) == clock, "a clock does not round-trip")
  }
}
