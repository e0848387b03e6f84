import DaemonRuntime
import Foundation

/// Where a verb that plays on a phone of its own has it.
enum RunPlace {
  /// The directory that is named, which must be new or empty; else a temporary one.
  static func make(_ kept: String?, named name: String) throws(CommandFailure) -> String {
    guard let kept else {
      let base = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
      var template = Array("\(base)/baton-\(name)-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else {
        let trouble = SystemError("create a directory in \(base)")
        // In /proc and its like the kernel says that it is the new directory that is not there.
        guard trouble.code != ENOENT || !FilePath.isDirectory(base) else {
          throw CommandFailure(
            .cannotCreate, "no directory can be made in \(base.onOneLine); name another place with TMPDIR")
        }
        throw CommandFailure(.cannotCreate, trouble.description)
      }
      return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    let contents = (try? FileManager.default.contentsOfDirectory(atPath: kept)) ?? []
    guard contents.isEmpty else {
      throw CommandFailure(
        .cannotCreate, "\(kept) is not empty, and \(name) plays on a fresh phone; name a new directory")
    }
    return kept
  }
}
