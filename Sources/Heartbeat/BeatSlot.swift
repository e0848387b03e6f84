import Ground

/// A beat as 128 bytes with a checksum, so that a torn, truncated or foreign slot is read as no beat.
///
/// Little-endian: magic, version, role, phase, zero · epoch · counter · pid, zero · start time · boot (high, low) ·
/// boot clock · wall clock · zeros · CRC-32 of all before it.
public enum BeatSlot {
  public static let size = 128
  private static let magic: UInt32 = 0x424E_5442
  private static let version: UInt8 = 1
  private static let checksumOffset = size - 4

  public static func encode(_ beat: Beat) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    bytes.append(littleEndian: magic)
    bytes += [version, beat.role == .app ? 1 : 2, beat.phase.rawValue, 0]
    bytes.append(littleEndian: beat.epoch)
    bytes.append(littleEndian: beat.counter)
    bytes.append(littleEndian: UInt64(UInt32(bitPattern: beat.process.pid)))
    bytes.append(littleEndian: beat.process.startTime)
    bytes.append(littleEndian: beat.process.boot.high)
    bytes.append(littleEndian: beat.process.boot.low)
    bytes.append(littleEndian: UInt64(bitPattern: beat.bootClock.nanoseconds))
    bytes.append(littleEndian: UInt64(bitPattern: beat.wallClockNanoseconds))
    bytes += Array(repeating: 0, count: checksumOffset - bytes.count)
    bytes.append(littleEndian: crc32(bytes[...]))
    return bytes
  }

  public static func decode(_ bytes: [UInt8]) -> Beat? {
    guard bytes.count == size,
      UInt32(truncatingIfNeeded: bytes.littleEndian(at: 0, bytes: 4)) == magic, bytes[4] == version,
      UInt32(truncatingIfNeeded: bytes.littleEndian(at: checksumOffset, bytes: 4))
        == crc32(bytes[..<checksumOffset]),
      let phase = Phase(rawValue: bytes[6])
    else { return nil }
    let role: Role
    switch bytes[5] {
    case 1: role = .app
    case 2: role = .extension
    default: return nil
    }
    return Beat(
      role: role, epoch: bytes.littleEndian(at: 8), phase: phase, counter: bytes.littleEndian(at: 16),
      process: ProcessIdentity(
        pid: Int32(bitPattern: UInt32(truncatingIfNeeded: bytes.littleEndian(at: 24, bytes: 4))),
        startTime: bytes.littleEndian(at: 32),
        boot: BootID(high: bytes.littleEndian(at: 40), low: bytes.littleEndian(at: 48))),
      bootClock: Instant(nanoseconds: Int64(bitPattern: bytes.littleEndian(at: 56))),
      wallClockNanoseconds: Int64(bitPattern: bytes.littleEndian(at: 64)))
  }

  /// CRC-32 of IEEE 802.3, bit by bit: 124 bytes every two seconds need no table.
  static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var remainder: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~remainder
  }
}
