import PhoneClient
import DaemonRuntime
import Foundation

/// The one directory that has all that a command leaves lying around while it works: phones of its own, and in `tmp`
/// the copies of databases that it looks into.
package struct ScratchPlace: Sendable {
  package let path: String

  var temporary: String { "\(path)/tmp" }

  init(named name: String) throws(SystemError) {
    let environment = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    // Daemons have another working directory in mind.
    let base = environment.isEmpty ? "/tmp" : Phone(home: environment).home
    var template = Array("\(base)/baton-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      // In /proc and its like the kernel says that it is the new directory that is not there.
      let code = errno
      let isNoPlace = code == ENOENT && FilePath.isDirectory(base)
      throw SystemError(
        "create a directory in \(base)", code: code,
        because:
          "\(isNoPlace ? "nothing can be made there" : SystemError.words(of: code)); name another place with TMPDIR"
      )
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard mkdir(temporary, 0o700) == 0 else {
      let error = SystemError("create \(temporary)")
      rmdir(path)
      throw error
    }
  }

  /// For this process and all that it starts.
  package func enter() { setenv("TMPDIR", temporary, 1) }

  /// A new directory for one phone.
  func makeHome() throws(SystemError) -> String {
    var number = 1
    while true {
      let home = number == 1 ? "\(path)/phone" : "\(path)/phone-\(number)"
      if mkdir(home, 0o700) == 0 { return home }
      guard errno == EEXIST else { throw SystemError("create \(home)") }
      number += 1
    }
  }

  /// Nothing stays that was not asked for, but for phones that are evidence. A command that failed may have kept some in its
  /// temporary directory, such as those of a `baton` that it ran.
  package func remove(keepingPhones: Bool, keepingTemporary: Bool = false) {
    if keepingTemporary {
      rmdir(temporary)
    } else {
      try? FileManager.default.removeItem(atPath: temporary)
    }
    if keepingPhones {
      rmdir(path)
    } else {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  package var isThere: Bool { FilePath.isDirectory(path) }
}
