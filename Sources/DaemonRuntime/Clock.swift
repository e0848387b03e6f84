import Glibc
import Ground
import Platform

/// The clocks of one phone. The monotonic clock drives cores and timers; the wall clock is for display and for
/// protocol fields in wall time. Neither the wall clock nor the boot clock's age decides the node's ownership.
///
/// With a clock file (written by iosd) each phone has its own boot id and wall clock.
public final class Clock {
  private let file: PhoneClockFile?
  private var lastGood: PhoneClock?
  private var lastBoot: (id: BootID, text: String)?
  private let kernelBoot: BootID

  public init(phoneClockFile path: String? = nil) {
    file = path.map { PhoneClockFile(path: $0) }
    kernelBoot = Kernel.boot
  }

  /// CLOCK_MONOTONIC: the only clock that cores see. It does not count sleep and cannot be set.
  public var now: Instant { Self.monotonicNow }

  public static var monotonicNow: Instant { Kernel.now }

  /// CLOCK_BOOTTIME of the phone; counts sleep.
  public var bootClock: Instant {
    Self.kernelBootClock + TimeSpan(nanoseconds: phone?.bootOffsetNanoseconds ?? 0)
  }

  /// CLOCK_BOOTTIME of the machine.
  public static var kernelBootClock: Instant { Kernel.bootClock }

  /// Nanoseconds since 1970 on the phone's wall clock.
  public var wallNanoseconds: Int64 {
    let kernel = Kernel.wallNanoseconds
    let (sum, overflowed) = kernel.addingReportingOverflow(phone?.wallOffsetNanoseconds ?? 0)
    return overflowed ? kernel : sum
  }

  public var boot: BootID { phone?.boot ?? kernelBoot }

  /// `boot` as journals and rows have it. One text for each boot: the rows that iosd keeps share it.
  public var bootText: String {
    let boot = self.boot
    if lastBoot?.id != boot { lastBoot = (boot, Journal.text(of: boot)) }
    return lastBoot?.text ?? ""
  }

  /// Read each time; if the file is torn or missing, the last good value stays in force.
  private var phone: PhoneClock? {
    guard let file else { return nil }
    if let fresh = file.read() { lastGood = fresh }
    return lastGood
  }
}

/// The file through which iosd gives each phone its own clocks. iosd writes it, the other programs read it.
public final class PhoneClockFile {
  public let path: String
  private var reader: Int32 = -1

  public init(path: String) { self.path = path }

  deinit { if reader >= 0 { close(reader) } }

  /// Nil if there is no file or its checksum is wrong.
  public func read() -> PhoneClock? {
    if reader < 0 {
      reader = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if reader < 0 { return nil }
    }
    // A read may fall into the middle of a write; the writer needs less than a microsecond.
    for _ in 0..<4 {
      var bytes = [UInt8](repeating: 0, count: PhoneClock.size)
      guard pread(reader, &bytes, bytes.count, 0) == bytes.count else { return nil }
      if let clock = PhoneClock(decoding: bytes) { return clock }
    }
    return nil
  }

  /// One `pwrite` in place, so that readers keep their descriptor.
  public func write(_ clock: PhoneClock) throws(SystemError) {
    let descriptor = try PlainFile.open(path, O_WRONLY | O_CREAT)
    defer { close(descriptor) }
    let bytes = clock.encoded()
    let count = pwrite(descriptor, bytes, bytes.count, 0)
    if count != bytes.count { throw SystemError("write \(path)", code: count < 0 ? errno : ENOSPC) }
  }
}

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
    for word in words { bytes.append(littleEndian: word) }
    bytes.append(littleEndian: Self.checksum(bytes))
    return bytes
  }

  init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Self.magic) else { return nil }
    guard Self.checksum(bytes[..<56]) == bytes.littleEndian(at: 56) else { return nil }
    boot = BootID(high: bytes.littleEndian(at: 8), low: bytes.littleEndian(at: 16))
    wallOffsetNanoseconds = Int64(bitPattern: bytes.littleEndian(at: 24))
    bootOffsetNanoseconds = Int64(bitPattern: bytes.littleEndian(at: 32))
  }

  /// FNV-1a.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return sum
  }
}
