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
    append(magic, to: &bytes)
    bytes += [version, beat.role == .app ? 1 : 2, beat.phase.rawValue, 0]
    append(beat.epoch, to: &bytes)
    append(beat.counter, to: &bytes)
    append(UInt64(UInt32(bitPattern: beat.process.pid)), to: &bytes)
    append(beat.process.startTime, to: &bytes)
    append(beat.process.boot.high, to: &bytes)
    append(beat.process.boot.low, to: &bytes)
    append(UInt64(bitPattern: beat.bootClock.nanoseconds), to: &bytes)
    append(UInt64(bitPattern: beat.wallClockNanoseconds), to: &bytes)
    bytes += Array(repeating: 0, count: checksumOffset - bytes.count)
    append(crc32(bytes[...]), to: &bytes)
    return bytes
  }

  public static func decode(_ bytes: [UInt8]) -> Beat? {
    guard bytes.count == size,
      UInt32(truncatingIfNeeded: read(4, at: 0, of: bytes)) == magic, bytes[4] == version,
      UInt32(truncatingIfNeeded: read(4, at: checksumOffset, of: bytes)) == crc32(bytes[..<checksumOffset]),
      let phase = Phase(rawValue: bytes[6])
    else { return nil }
    let role: Role
    switch bytes[5] {
    case 1: role = .app
    case 2: role = .extension
    default: return nil
    }
    return Beat(
      role: role, epoch: read(8, at: 8, of: bytes), phase: phase, counter: read(8, at: 16, of: bytes),
      process: ProcessIdentity(
        pid: Int32(bitPattern: UInt32(truncatingIfNeeded: read(4, at: 24, of: bytes))),
        startTime: read(8, at: 32, of: bytes),
        boot: BootID(high: read(8, at: 40, of: bytes), low: read(8, at: 48, of: bytes))),
      bootClock: Instant(nanoseconds: Int64(bitPattern: read(8, at: 56, of: bytes))),
      wallClockNanoseconds: Int64(bitPattern: read(8, at: 64, of: bytes)))
  }

  private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    for index in 0..<(Value.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  private static func read(_ count: Int, at offset: Int, of bytes: [UInt8]) -> UInt64 {
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
    return value
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
