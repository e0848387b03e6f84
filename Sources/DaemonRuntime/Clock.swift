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
