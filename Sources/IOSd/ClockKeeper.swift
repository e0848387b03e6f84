import Ground
import DaemonRuntime
import Glibc

/// Writes the file that gives this phone its own clocks. Each start of iosd is a boot of the phone; the wall
/// clock's offset persists. The first half of a boot's id is that of the machine, so that stamps of its monotonic clock
/// can be compared by it.
final class ClockKeeper {
  private let file: PhoneClockFile
  private var value: PhoneClock

  init(_ path: String) throws(SystemError) {
    file = PhoneClockFile(path: path)
    let all = UInt64.min...UInt64.max
    let last = file.read()
    value = PhoneClock(
      boot: BootID(high: Clock().boot.high, low: .random(in: all)),
      wallOffsetNanoseconds: last?.wallOffsetNanoseconds ?? 0)
    try file.write(value)
  }

  /// Begins a new boot: the boot clock restarts at zero, the wall clock continues.
  func boot() throws(SystemError) -> BootID {
    let all = UInt64.min...UInt64.max
    var next = value
    next.boot = BootID(high: Clock().boot.high, low: .random(in: all))
    next.bootOffsetNanoseconds = 0 &- Clock.kernelBootClock.nanoseconds
    try file.write(next)
    value = next
    return next.boot
  }

  /// Fails without a change if the step leaves the clock's range.
  func step(bySeconds seconds: Int64) throws(SystemError) {
    let (step, stepOverflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowed) = value.wallOffsetNanoseconds.addingReportingOverflow(step)
    let hundredYears: Int64 = 3_153_600_000_000_000_000
    guard !stepOverflowed, !overflowed, (-hundredYears...hundredYears).contains(sum) else {
      throw SystemError("set the wall clock more than a hundred years off", code: ERANGE)
    }
    var next = value
    next.wallOffsetNanoseconds = sum
    try file.write(next)
    value = next
  }
}
