import Glibc
import Testing

@testable import SharedContainer

@Suite struct KernelLocksTests {
  @Test func theKernelsListIsReadAndItsWaitersAreLeftOut() {
    let text = """
      1: POSIX  ADVISORY  WRITE 3683 fe:00:16220837 120 120
      1: -> POSIX  ADVISORY  WRITE 3700 fe:00:16220837 120 120
      2: FLOCK  ADVISORY  READ 12 08:1a:9 0 EOF
      3: OFDLCK ADVISORY  WRITE -1 fe:00:77 0 EOF
      4: FLOCK  ADVISORY  WRITE x fe:00:77 0 EOF
      5: FLOCK  ADVISORY  WRITE 12 fe::00:77 0 EOF
      nonsense
      """
    let locks = KernelLocks.parse(text)
    #expect(locks.map(\.pid) == [3683, 12, -1])
    #expect(locks.map(\.kind) == ["POSIX", "FLOCK", "OFDLCK"])
    #expect(locks.map(\.isExclusive) == [true, false, true])
    #expect(locks.map(\.end) == [120, nil, nil])
    #expect(locks[1].deviceMajor == 8 && locks[1].deviceMinor == 26 && locks[1].inode == 9)
    #expect(locks[0].covers(120) && !locks[0].covers(121) && locks[1].covers(.max))
  }

  @Test func aLineThatTheKernelRepeatsOrLeavesOutChangesNothing() {
    let first = KernelLocks.parse(
      "1: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF\n2: FLOCK ADVISORY WRITE 11 fe:00:2 0 EOF")
    let repeated = KernelLocks.parse(
      "1: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF\n2: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF")
    #expect(KernelLocks.joined(older: first, newer: repeated) == first)
    let passedOn = KernelLocks.parse("1: FLOCK ADVISORY WRITE 12 fe:00:2 0 EOF")
    #expect(KernelLocks.joined(older: first, newer: passedOn).map(\.pid) == [12, 10])
  }

  @Test func aLockIsFoundOnItsFileAndOnNoOther() throws {
    let place = Place()
    let lock = FileLock(path: place.file("a"))
    #expect(lock.tryTake() == .taken)
    Files.write(place.file("b"), [])
    let list = try #require(KernelLocks.read())
    let facts = try FileFacts.at(place.file("a")).get()
    let others = try FileFacts.at(place.file("b")).get()
    #expect(list.filter { $0.isOn(facts) }.map(\.pid) == [getpid()])
    #expect(!list.contains { $0.isOn(others) })
  }

  @Test func aProcessThatRunsIsNotStopped() {
    #expect(!BlockedBy.isStopped(getpid()))
    #expect(!BlockedBy.isStopped(-5))
  }
}
