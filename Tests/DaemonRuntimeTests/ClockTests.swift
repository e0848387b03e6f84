import Heartbeat

@testable import DaemonRuntime

@Suite struct ClockTests {
  private let boot = BootID(high: 0x0123_4567_89ab_cdef, low: 42)

  @Test func `A clock without a file and a clock whose file is missing have the same boot id, not zero`() {
    let clock = Clock()
    #expect(clock.boot != BootID(high: 0, low: 0))
    expect(clock.boot, is: Clock(phoneClockFile: "/nowhere/clock").boot)
    #expect(clock.now <= clock.now)
  }

  @Test func `A clock file sets the phone's boot id and the offsets of its clocks`() throws {
    let directory = TemporaryDirectory()
    let file = PhoneClockFile(path: directory("clock"))
    let hour: Int64 = 3_600_000_000_000
    try file.write(PhoneClock(boot: boot, wallOffsetNanoseconds: -hour, bootOffsetNanoseconds: hour))
    let phone = Clock(phoneClockFile: directory("clock"))
    let kernel = Clock()
    expect(phone.boot, is: boot)
    let difference = kernel.wallNanoseconds - phone.wallNanoseconds
    #expect(abs(difference - hour) < hour / 2)
    #expect(abs((phone.bootClock - kernel.bootClock).nanoseconds - hour) < hour / 2)
  }

  @Test func `An open clock sees a new boot id in its file`() throws {
    let directory = TemporaryDirectory()
    let file = PhoneClockFile(path: directory("clock"))
    try file.write(PhoneClock(boot: boot))
    let phone = Clock(phoneClockFile: directory("clock"))
    expect(phone.boot, is: boot)
    try file.write(PhoneClock(boot: BootID(high: 7, low: 7)))
    expect(phone.boot, is: BootID(high: 7, low: 7))
  }

  @Test func `A clock keeps its last valid boot id when its file is damaged or cut short`() throws {
    let directory = TemporaryDirectory()
    let file = PhoneClockFile(path: directory("clock"))
    try file.write(PhoneClock(boot: boot))
    let phone = Clock(phoneClockFile: directory("clock"))
    expect(phone.boot, is: boot)
    let descriptor = open(directory("clock"), O_WRONLY)
    pwrite(descriptor, "garbage", 7, 20)
    expect(phone.boot, is: boot)
    ftruncate(descriptor, 10)
    expect(phone.boot, is: boot)
    close(descriptor)
  }

  @Test func `A clock file with a changed byte or of another length is refused`() {
    let good = PhoneClock(boot: boot, wallOffsetNanoseconds: -1, bootOffsetNanoseconds: .max).encoded()
    expect(good.count, is: PhoneClock.size)
    expect(PhoneClock(decoding: good)?.bootOffsetNanoseconds, is: .max)
    for index in [0, 8, 24, 31, 40, 47, 48, 55, 56, 63] {
      var bad = good
      bad[index] ^= 1
      #expect(PhoneClock(decoding: bad) == nil, "byte \(index)")
    }
    #expect(PhoneClock(decoding: []) == nil)
    #expect(PhoneClock(decoding: good + [0]) == nil)
  }

  @Test func `Extreme clock offsets do not trap`() throws {
    let directory = TemporaryDirectory()
    try PhoneClockFile(path: directory("clock")).write(
      PhoneClock(boot: boot, wallOffsetNanoseconds: .max, bootOffsetNanoseconds: .min))
    let phone = Clock(phoneClockFile: directory("clock"))
    _ = phone.wallNanoseconds
    _ = phone.bootClock
  }
}
