import DaemonRuntime
import Foundation
import Glibc
import TestKit

/// Where some bytes are in the memory of a running process, with the kernel's flags of those pages.
public enum MemoryImage {
  public struct Place: CustomStringConvertible {
    let mapping: String
    let flags: [Substring]
    /// Neither swapped nor in a core dump.
    public var isLocked: Bool { flags.contains("lo") && flags.contains("dd") }
    public var description: String { "\(mapping) \(flags.joined(separator: " "))" }
  }

  private struct Mapping {
    let line: String
    let range: Range<UInt64>
    var residentKiB = 0
    var flags: [Substring] = []
  }

  /// Larger mappings are a sanitizer's shadow memory.
  private static let largest: UInt64 = 1 << 28

  public static func places(of needle: [UInt8], in pid: Int32) throws -> [Place] {
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw SystemError("read the memory of \(pid)") }
    defer { close(memory) }
    return try mappings(of: pid).filter { $0.residentKiB > 0 && UInt64($0.range.count) <= largest }.flatMap {
      mapping in
      var bytes = [UInt8](repeating: 0, count: mapping.range.count)
      let count = pread(memory, &bytes, bytes.count, off_t(bitPattern: UInt(mapping.range.lowerBound)))
      // The kernel's own pages cannot be read.
      guard count > 0 else { return [Place]() }
      return Array(
        repeating: Place(mapping: mapping.line, flags: mapping.flags),
        count: times(needle, in: bytes[..<count]))
    }
  }

  private static func times(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { memory in
      var (times, place) = (0, 0)
      while place + needle.count <= memory.count,
        let found = memchr(
          memory.baseAddress! + place, Int32(needle[0]), memory.count - needle.count + 1 - place)
      {
        times += memcmp(found, needle, needle.count) == 0 ? 1 : 0
        place = memory.baseAddress!.distance(to: found) + 1
      }
      return times
    }
  }

  private static func mappings(of pid: Int32) throws -> [Mapping] {
    var all: [Mapping] = []
    // Foundation reads only the first chunk of such a file.
    let list = try #require(SmallFile.read("/proc/\(pid)/smaps", limit: 1 << 24))
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "VmFlags:" {
        all[all.count - 1].flags = Array(words.dropFirst())
      } else if words[0] == "Rss:" {
        all[all.count - 1].residentKiB = Int(words[1]) ?? 0
      } else if !words[0].hasSuffix(":") {
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        all.append(Mapping(line: String(line), range: ends[0]..<ends[1]))
      }
    }
    return all
  }
}
