import CLinux
import Glibc

/// A process's memory use, from `/proc/PID/status`.
public struct MemoryFigures: Hashable, Sendable {
  /// Anonymous memory and swap, the equivalent of iOS's footprint.
  public var footprintBytes: UInt64
  public var residentBytes: UInt64
  /// The kernel's highest resident size so far; it keeps no such figure of the footprint.
  public var peakResidentBytes: UInt64

  public init(footprintBytes: UInt64, residentBytes: UInt64, peakResidentBytes: UInt64) {
    self.footprintBytes = footprintBytes
    self.residentBytes = residentBytes
    self.peakResidentBytes = peakResidentBytes
  }

  /// Bytes that this process has allocated and not freed; exact, where the kernel counts pages.
  public static var heapBytes: UInt64 { baton_heap_bytes() }

  /// nil when the process is gone, or a zombie (which has no memory).
  public init?(of pid: Int32) {
    guard pid > 0, let text = SmallFile.read("/proc/\(pid)/status", limit: 8192) else { return nil }
    self.init(status: text)
  }

  init?(status text: [UInt8]) {
    var anonymous: UInt64?
    var swapped: UInt64?
    var resident: UInt64?
    var peakResident: UInt64?
    // Parse only the relevant of some 60 lines: iosd polls this file for each process.
    for line in text.split(separator: UInt8(ascii: "\n"))
    where line.first == UInt8(ascii: "V") || line.first == UInt8(ascii: "R") {
      let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard words.count >= 2, let kilobytes = UInt64(String(decoding: words[1], as: UTF8.self)) else {
        continue
      }
      let (bytes, overflowed) = kilobytes.multipliedReportingOverflow(by: 1024)
      if overflowed { return nil }
      switch String(decoding: words[0], as: UTF8.self) {
      case "RssAnon:": anonymous = bytes
      case "VmSwap:": swapped = bytes
      case "VmRSS:": resident = bytes
      case "VmHWM:": peakResident = bytes
      default: continue
      }
    }
    guard let anonymous, let resident else { return nil }
    let (footprint, overflowed) = anonymous.addingReportingOverflow(swapped ?? 0)
    if overflowed { return nil }
    self.init(
      footprintBytes: footprint, residentBytes: resident, peakResidentBytes: max(resident, peakResident ?? 0))
  }
}
