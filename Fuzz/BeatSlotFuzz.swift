import Ground
@testable import Heartbeat

/// A slot of the heartbeat file, also with a valid checksum, which would stop every guess.
enum BeatSlotFuzz: FuzzTarget {
  static let name = "beat-slot"
  static let longestInput = 160

  static var seeds: [[UInt8]] {
    Phase.allCases.map { phase in
      BeatSlot.encode(
        Beat(
          role: .extension, epoch: 7, phase: phase, counter: 3,
          process: ProcessIdentity(pid: 4711, startTime: 99, boot: BootID(high: 1, low: 2)),
          bootClock: .init(nanoseconds: 5), wallClockNanoseconds: -6))
    }
  }

  static func feed(_ bytes: [UInt8]) {
    read(bytes)
    guard bytes.count >= BeatSlot.size else { return }
    let content = Array(bytes.prefix(BeatSlot.size - 4))
    let checksum = BeatSlot.crc32(content[...])
    read(content + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt32($0))) })
  }

  /// The zeros between the fields are not compared, only the beat.
  private static func read(_ bytes: [UInt8]) {
    guard let beat = BeatSlot.decode(bytes) else { return }
    promise(BeatSlot.decode(BeatSlot.encode(beat)) == beat, "a beat does not round-trip")
  }
}
