import DaemonRuntime
import Glibc

/// The mounts of `/proc/self/mountinfo`. Paths are bytes: paths that are equal only under Unicode normalization
/// differ.
struct MountTable: Hashable {
  struct Mount: Hashable {
    /// The device number, as in `stat`.
    var device: UInt64
    /// The mounted part of the file system; `/` for all of it.
    var root: [UInt8]
    var place: [UInt8]
    /// The file system's type.
    var kind: [UInt8]
  }

  static let path = "/proc/self/mountinfo"
  private static let sizeMax = 1 << 20

  let mounts: [Mount]

  /// Nil if the file cannot be read or is too long.
  static func read() -> MountTable? {
    guard let text = SmallFile.read(path, limit: sizeMax), text.count < sizeMax else { return nil }
    return MountTable(text)
  }

  /// Nil if a line cannot be parsed: it may be the relevant one.
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
  /// A line like `36 27 254:16 / /mnt/a\040disk rw,noatime shared:1 - ext4 /dev/vdb rw`. The number of words before
  /// the dash varies.
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

  /// Spaces, line breaks and backslashes are escaped as a backslash and three octal digits.
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
