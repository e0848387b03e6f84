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
        throw CommandFailure(.cannotCreate, SystemError("create a directory in \(base)").description)
      }
      return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    // Who made the directory for us could change all that comes into it.
    do throws(SystemError) { try OwnHome.check(kept, []) } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
    let contents = (try? FileManager.default.contentsOfDirectory(atPath: kept)) ?? []
    guard contents.isEmpty else {
      throw CommandFailure(
        .cannotCreate, "\(kept) is not empty, and \(name) plays on a fresh phone; name a new directory")
    }
    return kept
  }
}
