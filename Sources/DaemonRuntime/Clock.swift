import CLinux
import Ground
import Glibc

/// The clocks of one phone. The monotonic clock drives cores and timers; the wall clock is for display and for
/// what the protocols say in wall time; neither it nor the boot clock's age decides who owns the node.
///
/// With a clock file (written by iosd) each phone has its own boot id and its own idea of the wall time.
public final class Clock {
  private let file: PhoneClockFile?
  private var lastGood: PhoneClock?
  private let kernelBoot: BootID

  public init(phoneClockFile path: String? = nil) {
    file = path.map { PhoneClockFile(path: $0) }
    kernelBoot = Self.readKernelBoot()
  }

  /// CLOCK_MONOTONIC: the only clock that cores see. It does not count sleep and nobody can set it.
  public var now: Instant { Self.monotonicNow }

  public static var monotonicNow: Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

  /// CLOCK_BOOTTIME of the phone, which counts sleep.
  public var bootClock: Instant {
    Self.kernelBootClock + TimeSpan(nanoseconds: phone?.bootOffsetNanoseconds ?? 0)
  }

  /// CLOCK_BOOTTIME of the machine.
  public static var kernelBootClock: Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)) }

  /// Nanoseconds since 1970 as the phone's person sees them.
  public var wallNanoseconds: Int64 {
    let kernel = Self.nanoseconds(of: CLOCK_REALTIME)
    let (sum, overflowed) = kernel.addingReportingOverflow(phone?.wallOffsetNanoseconds ?? 0)
    return overflowed ? kernel : sum
  }

  public var boot: BootID { phone?.boot ?? kernelBoot }

  /// Read anew each time; a file that is torn or gone leaves the last good value in force.
  private var phone: PhoneClock? {
    guard let file else { return nil }
    if let fresh = file.read() { lastGood = fresh }
    return lastGood
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func readKernelBoot() -> BootID {
    let text = SmallFile.read("/proc/sys/kernel/random/boot_id", limit: 64) ?? []
    var digits: [UInt64] = []
    for byte in text {
      if let digit = hexDigit(byte) { digits.append(digit) }
    }
    guard digits.count == 32 else { return BootID(high: 0, low: 0) }
    let join = { (part: ArraySlice<UInt64>) in part.reduce(UInt64(0)) { $0 << 4 | $1 } }
    return BootID(high: join(digits[..<16]), low: join(digits[16...]))
  }

  private static func hexDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    default: nil
    }
  }
}
