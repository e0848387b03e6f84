import TestKit

@testable import Platform

/// `/proc/locks`.
@Suite struct LockListTests {
  private func parsed(_ text: String) -> [KernelLock] { Kernel.parse(locks: Array(text.utf8)) }

  @Test func `The kernel's lock list is parsed without waiters and malformed lines`() {
    let text = """
      1: POSIX  ADVISORY  WRITE 3683 fe:00:16220837 120 120
      1: -> POSIX  ADVISORY  WRITE 3700 fe:00:16220837 120 120
      2: FLOCK  ADVISORY  READ 12 08:1a:9 0 EOF
      3: OFDLCK ADVISORY  WRITE -1 fe:00:77 0 EOF
      4: FLOCK  ADVISORY  WRITE x fe:00:77 0 EOF
      5: FLOCK  ADVISORY  WRITE 12 fe::00:77 0 EOF
      nonsense
      """
    let locks = parsed(text)
    expect(locks.map(\.pid), is: [3683, 12, -1])
    expect(locks.map(\.kind), is: ["POSIX", "FLOCK", "OFDLCK"])
    expect(locks.map(\.isExclusive), is: [true, false, true])
    expect(locks.map(\.end), is: [120, nil, nil])
    #expect(locks[1].isOn(device: 0x81A, inode: 9))
    #expect(locks[0].covers(120) && !locks[0].covers(121) && locks[1].covers(.max))
  }

  @Test func `Joining two readings of the lock list compensates a repeated or missing line`() {
    let first = parsed("1: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF\n2: FLOCK ADVISORY WRITE 11 fe:00:2 0 EOF")
    let repeated = parsed(
      "1: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF\n2: FLOCK ADVISORY WRITE 10 fe:00:1 0 EOF")
    expect(Kernel.joined(older: first, newer: repeated), is: first)
    let passedOn = parsed("1: FLOCK ADVISORY WRITE 12 fe:00:2 0 EOF")
    expect(Kernel.joined(older: first, newer: passedOn).map(\.pid), is: [12, 10])
  }

  /// Major and minor numbers above eight bits are interleaved in `st_dev`.
  @Test func `A large device number of the lock list is encoded as in stat`() {
    let device = parsed("1: FLOCK ADVISORY WRITE 10 12345:6789a:1 0 EOF").first?.device
    expect(device, is: 0x1_2000_6783_459a)
  }
}
