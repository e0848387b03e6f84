import Ground

/// A phone's boot id and the offsets of its clocks from the kernel's.
public struct PhoneClock: Hashable, Sendable {
  public var boot: BootID
  public var wallOffsetNanoseconds: Int64
  public var bootOffsetNanoseconds: Int64

  public init(boot: BootID, wallOffsetNanoseconds: Int64 = 0, bootOffsetNanoseconds: Int64 = 0) {
    self.boot = boot
    self.wallOffsetNanoseconds = wallOffsetNanoseconds
    self.bootOffsetNanoseconds = bootOffsetNanoseconds
  }

  static let size = 64
  private static let magic: [UInt8] = Array("BATONCLK".utf8)

  /// 64 bytes, little-endian: magic, boot (high, low), wall offset, boot offset, 16 zeros, FNV-1a of the bytes
  /// before.
  func encoded() -> [UInt8] {
    var bytes = Self.magic
    let words = [
      boot.high, boot.low, UInt64(bitPattern: wallOffsetNanoseconds),
      UInt64(bitPattern: bootOffsetNanoseconds), 0, 0,
    ]
    for word in words { Self.append(word, to: &bytes) }
    Self.append(Self.checksum(bytes), to: &bytes)
    return bytes
  }

  init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Self.magic) else { return nil }
    guard Self.checksum(bytes[..<56]) == Self.word(bytes, at: 56) else { return nil }
    boot = BootID(high: Self.word(bytes, at: 8), low: Self.word(bytes, at: 16))
    wallOffsetNanoseconds = Int64(bitPattern: Self.word(bytes, at: 24))
    bootOffsetNanoseconds = Int64(bitPattern: Self.word(bytes, at: 32))
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in (offset..<offset + 8).reversed() { word = word << 8 | UInt64(bytes[index]) }
    return word
  }

  /// FNV-1a.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return sum
  }
}
