import Foundation

/// A directory of the judge's own, gone with this object. Databases that nobody uses are read from copies in it:
/// SQLite would create files beside the originals.
final class Scratch {
  let directory: String

  init() throws(JudgeError) {
    let base = URL(fileURLWithPath: NSTemporaryDirectory()).path
    var template = Array("\(base)/judge-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .unreadable(path: base, reason: String(cString: strerror(errno)))
    }
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Copies a database with its log. Nil if it came into use or changed meanwhile.
  func copy(_ database: String, as name: String) throws(JudgeError) -> String? {
    let suffixes = ["", "-wal", "-journal"]
    let before = suffixes.map { FileStamp(database + $0) }
    let target = directory + "/" + name
    for suffix in suffixes {
      try? FileManager.default.removeItem(atPath: target + suffix)
      guard FileStamp(database + suffix) != nil else { continue }
      do {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: database + suffix))
        try bytes.write(to: URL(fileURLWithPath: target + suffix))
      } catch {
        throw .unreadable(path: database + suffix, reason: error.localizedDescription)
      }
    }
    let isUntouched = suffixes.map { FileStamp(database + $0) } == before
    return isUntouched && !LiveFiles.isInUse(database) ? target : nil
  }
}
