import DaemonRuntime
import Glibc

/// What is mounted where, as `/proc/self/mountinfo` has it. Paths are bytes: two that Unicode calls the same are two.
struct MountTable: Hashable {
  struct Mount: Hashable {
    /// As `stat` numbers it.
    var device: UInt64
    /// Which part of the disk it is; `/` for all of it.
    var root: [UInt8]
    var place: [UInt8]
    /// Of the file system.
    var kind: [UInt8]
  }

  static let path = "/proc/self/mountinfo"
  private static let sizeMax = 1 << 20

  let mounts: [Mount]

  /// Nil where it cannot be read, or is longer than anybody's.
  static func read() -> MountTable? {
    guard let text = SmallFile.read(path, limit: sizeMax), text.count < sizeMax else { return nil }
    return MountTable(text)
  }

  /// Nil when there is a line that is not understood: it may be the very one that matters.
  init?(_ text: [UInt8]) {
    var mounts: [Mount] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let mount = Mount(line) else { return nil }
      mounts.append(mount)
    }
    self.mounts = mounts
  }
}

extension MountTable.Mount {
  /// A line like `36 27 254:16 / /mnt/a\040disk rw,noatime shared:1 - ext4 /dev/vdb rw`. How many words stand before
  /// the dash differs.
  init?(_ line: ArraySlice<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count > 6, let dash = words[6...].firstIndex(of: [UInt8(ascii: "-")]), dash + 1 < words.count,
      let device = Self.device(words[2]), let root = Self.plain(words[3]), let place = Self.plain(words[4]),
      let kind = Self.plain(words[dash + 1]), place.first == UInt8(ascii: "/"), !root.isEmpty, !kind.isEmpty
    else { return nil }
    self.init(device: device, root: root, place: place, kind: kind)
  }

  private static func device(_ word: ArraySlice<UInt8>) -> UInt64? {
    let numbers = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard numbers.count == 2, let major = number(numbers[0]), let minor = number(numbers[1]) else {
      return nil
    }
    return (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self)).map(UInt64.init)
  }

  /// Blanks, line breaks and backslashes are written as three octal digits behind a backslash.
  private static func plain(_ word: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(3)
      guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(3)
    }
    return bytes
  }
}
