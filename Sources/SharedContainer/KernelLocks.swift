// Linux only: what `/proc/locks` says. It explains to people who holds what; nobody decides by it who owns the
// node.

/// One lock that some process holds, as the kernel lists it.
struct KernelLock: Hashable, Sendable {
  /// `FLOCK`, `POSIX` or `OFDLCK`.
  var kind: String
  var isExclusive: Bool
  var pid: Int32
  var deviceMajor: UInt64
  var deviceMinor: UInt64
  var inode: UInt64
  var start: Int64
  /// The last byte; nil to the end of the file.
  var end: Int64?

  func isOn(_ facts: FileFacts) -> Bool {
    inode == facts.inode
      && deviceMajor == (facts.device >> 8 & 0xFFF | facts.device >> 32 & ~0xFFF)
      && deviceMinor == (facts.device & 0xFF | facts.device >> 12 & ~0xFF)
  }

  func covers(_ byte: Int64) -> Bool { start <= byte && byte <= end ?? .max }

  func isOnTheFile(of other: KernelLock) -> Bool {
    inode == other.inode && deviceMajor == other.deviceMajor && deviceMinor == other.deviceMinor
  }
}

enum KernelLocks {
  /// The kernel gives the list out in pieces, and goes on changing it in between: a lock that was held all the
  /// time may stand in one reading twice and in another not at all. So it is read until two readings in a row say
  /// the same, or this often.
  private static let readingsMax = 24

  /// Nil where there is no such list.
  static func read() -> [KernelLock]? {
    var locks: [KernelLock] = []
    var before: Set<KernelLock>?
    for _ in 0..<readingsMax {
      guard let text = SmallFile.read("/proc/locks") else { return nil }
      let reading = parse(text)
      locks = joined(older: locks, newer: reading)
      let named = Set(reading)
      if before == named { break }
      before = named
    }
    return locks
  }

  /// What the newer reading says of a file counts; of files that it does not name, what the older one said.
  static func joined(older: [KernelLock], newer: [KernelLock]) -> [KernelLock] {
    var seen: Set<KernelLock> = []
    let once = newer.filter { seen.insert($0).inserted }
    return once + older.filter { old in !once.contains { $0.isOnTheFile(of: old) } }
  }

  /// Lines like `1: FLOCK  ADVISORY  WRITE 3683 fe:00:16220837 0 EOF`; those who wait have `->` in second place.
  /// By bytes: this is read again and again, and taking characters apart is several times as much work.
  static func parse(_ text: String) -> [KernelLock] {
    text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
      guard words.count == 8, words[1] != "->", let pid = Int32(words[4]), let start = Int64(words[6])
      else { return nil }
      let place = words[5].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .map { Substring($0) }
      guard place.count == 3, let major = UInt64(place[0], radix: 16),
        let minor = UInt64(place[1], radix: 16),
        let inode = UInt64(place[2])
      else { return nil }
      return KernelLock(
        kind: String(words[1]), isExclusive: words[3] == "WRITE", pid: pid, deviceMajor: major,
        deviceMinor: minor, inode: inode, start: start, end: words[7] == "EOF" ? nil : Int64(words[7]))
    }
  }
}
