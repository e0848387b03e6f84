@testable import Platform

/// `/proc/locks`: a line of unknown form must cost only that line.
enum KernelLocksFuzz: FuzzTarget {
  static let name = "kernel-locks"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    [
      """
      1: FLOCK  ADVISORY  WRITE 3683 fe:00:16220837 0 EOF
      2: POSIX  ADVISORY  READ  42 00:1f:7 124 124
      2: -> POSIX  ADVISORY  WRITE 43 00:1f:7 120 120
      3: OFDLCK ADVISORY  WRITE -1 103:02:99 0 EOF
      """
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let locks = Kernel.parse(locks: bytes)
    promise(
      locks.count <= bytes.split(separator: UInt8(ascii: "\n")).count, "there are more locks than lines")
  }
}
