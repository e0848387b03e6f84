import Glibc
import Ground
import TestKit

@testable import Platform

@Suite struct KernelTests {
  private static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test func `This process counts as alive only with its own start time and boot id`() throws {
    let own = Kernel.ownIdentity()
    #expect(own.pid == getpid() && own.boot == Kernel.boot)
    #expect(Kernel.isAlive(own, boot: own.boot))
    var later = own
    later.startTime += 1
    #expect(!Kernel.isAlive(later, boot: own.boot))
    #expect(!Kernel.isAlive(own, boot: BootID(high: 9, low: 9)))
    let status = try #require(Kernel.processStatus(of: own.pid))
    #expect(status.parent == getppid() && !status.isStopped && !status.isDead && !status.isExiting)
    #expect(Self.text(of: "/proc/self/stat").contains(" \(own.startTime) "))
  }

  @Test(arguments: [0, -1, Int32.min, .max]) func `An impossible pid has no process status`(_ pid: Int32) {
    #expect(Kernel.processStatus(of: pid) == nil)
  }

  @Test func `The boot id is the kernel's`() {
    let digits = Self.text(of: "/proc/sys/kernel/random/boot_id").filter(\.isHexDigit)
    expect(digits.count, is: 32)
    let boot = Kernel.boot
    #expect(
      UInt64(digits.prefix(16), radix: 16) == boot.high && UInt64(digits.suffix(16), radix: 16) == boot.low)
    #expect(boot != Kernel.unknownBoot)
  }

  /// Linux writes lower case; Darwin writes upper case and a zero byte.
  @Test func `A boot id is parsed in the spelling of Linux and of Darwin`() {
    let boot = BootID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    expect(Kernel.bootID(Array("01234567-89ab-cdef-fedc-ba9876543210\n".utf8)), is: boot)
    expect(Kernel.bootID(Array("01234567-89AB-CDEF-FEDC-BA9876543210\0".utf8)), is: boot)
    #expect(Kernel.bootID(Array("01234567-89ab-cdef-fedc-ba987654321".utf8)) == nil)
    #expect(Kernel.bootID([]) == nil)
  }

  @Test func `The clocks are CLOCK_MONOTONIC, CLOCK_BOOTTIME and CLOCK_REALTIME`() {
    var before = timespec()
    var after = timespec()
    let clocks: [(clockid_t, () -> Int64)] = [
      (CLOCK_MONOTONIC, { Kernel.now.nanoseconds }), (CLOCK_BOOTTIME, { Kernel.bootClock.nanoseconds }),
      (CLOCK_REALTIME, { Kernel.wallNanoseconds }),
    ]
    for (clock, read) in clocks {
      clock_gettime(clock, &before)
      let between = read()
      clock_gettime(clock, &after)
      let times = [before, after].map { Int64($0.tv_sec) * 1_000_000_000 + Int64($0.tv_nsec) }
      #expect(times[0] <= between && between <= times[1])
    }
  }

  @Test func `A directory is listed by path and by descriptor`() throws {
    let place = TemporaryDirectory()
    for name in ["b", "a", ".hidden"] { place.write(name) }
    expect(Kernel.names(of: place.path), is: [".hidden", "a", "b"])
    expect(
      Kernel.names(closing: open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)), is: [".hidden", "a", "b"])
    #expect(Kernel.names(of: place.path + "/none") == nil && errno == ENOENT)
    #expect(Kernel.names(closing: -1) == nil && errno == EBADF)
  }

  @Test func `openPlace opens a descriptor for fstat, not for reading`() throws {
    let place = TemporaryDirectory()
    place.write("file")
    symlink("file", place.path + "/link")
    for (name, follows, kind) in [
      ("file", false, S_IFREG), ("link", false, S_IFLNK), ("link", true, S_IFREG),
    ] {
      let descriptor = Kernel.openPlace("\(place.path)/\(name)", in: AT_FDCWD, followsLink: follows)
      defer { close(descriptor) }
      var status = stat()
      #expect(fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == kind)
      var byte: UInt8 = 0
      #expect(read(descriptor, &byte, 1) == -1 && errno == EBADF)
    }
  }

  @Test func `Random numbers differ`() throws {
    let numbers = try (0..<8).map { _ in try #require(Kernel.randomNumber()) }
    expect(Set(numbers).count, is: 8)
  }
}

extension TemporaryDirectory {
  func write(_ name: String) { close(open(self(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
}
