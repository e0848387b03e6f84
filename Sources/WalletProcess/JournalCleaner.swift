import DaemonRuntime
import Glibc
import Ground
import Platform
import Wallet

/// Removes old journals: those of ended processes, unchanged for a week, except the newest of each program. Age is by
/// the kernel's clock, so that setting the phone's clock destroys no evidence.
final class JournalCleaner {
  /// Events of the phone are handled between steps.
  static let filesPerStep = 16
  static let keptSeconds: Int = 7 * 86_400

  private let directory: String
  /// nil before the first step of a run.
  private var left: [String]?
  private var removed = 0

  init(directory: String) { self.directory = directory }

  func step() -> BackgroundStep {
    let place: OwnDirectory
    // Not through a link: a directory elsewhere is not ours to clean.
    do throws(SystemError) { place = try OwnHome.openDirectory(directory) } catch {
      return .failed(error.description)
    }
    var names: [String]
    if let left {
      names = left
    } else {
      guard let found = Self.names(in: place) else {
        return .failed(SystemError("read \(directory)").description)
      }
      names = Self.allButNewest(found)
      removed = 0
    }
    for name in names.prefix(Self.filesPerStep) where isOld(name, in: place) && !isInUse(name) {
      if unlinkat(place.descriptor, name, 0) == 0 { removed += 1 }
    }
    names.removeFirst(min(Self.filesPerStep, names.count))
    left = names.isEmpty ? nil : names
    return names.isEmpty ? .done("removed \(removed) old journals") : .goesOn
  }

  private static func names(in directory: OwnDirectory) -> [String]? {
    DirectoryListing.names(in: directory)?.filter { program(of: $0) != nil }
  }

  /// `20261120T191500-mainappd-123.jsonl` is mainappd's; nil for other files.
  static func program(of name: String) -> Substring? {
    guard name.hasSuffix(".jsonl") else { return nil }
    let parts = name.dropLast(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].count == 15, !parts[1].isEmpty else { return nil }
    return parts[1]
  }

  /// The names are sorted, and begin with their time.
  private static func allButNewest(_ names: [String]) -> [String] {
    names.enumerated().filter { index, name in
      names[(index + 1)...].contains { program(of: $0) == program(of: name) }
    }.map(\.element)
  }

  private func isOld(_ name: String, in place: OwnDirectory) -> Bool {
    var status = stat()
    guard fstatat(place.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return false }
    return time(nil) - status.st_mtim.tv_sec > Self.keptSeconds
  }

  /// Its process may still run; an unreadable file is kept.
  private func isInUse(_ name: String) -> Bool {
    guard let bytes = try? SmallFile.readOwn("\(directory)/\(name)", limit: 16_384),
      let start = JSONValue(parsing: Array(bytes.prefix { $0 != UInt8(ascii: "\n") })),
      let pid = start["pid"]?.uint.flatMap({ Int32(exactly: $0) }),
      let startTime = start["start_time"]?.uint
    else { return true }
    return ProcessTable.startTime(of: pid) == startTime
  }
}
