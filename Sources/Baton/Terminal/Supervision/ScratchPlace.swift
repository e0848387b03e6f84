import DaemonRuntime
import Foundation

/// The scratch directory of a command: its own phones, and in `tmp` copies of databases.
package struct ScratchPlace: Sendable {
  package let path: String

  var temporary: String { "\(path)/tmp" }

  init(named name: String) throws(SystemError) {
    let environment = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    // Absolute, as daemons have another working directory.
    let base = environment.isEmpty ? "/tmp" : Phone(home: environment).home
    var template = Array("\(base)/baton-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      // In /proc and the like `mkdtemp` fails with ENOENT although `base` exists.
      let code = errno
      let isNoPlace = code == ENOENT && FilePath.isDirectory(base)
      throw SystemError(
        "create a directory in \(base)", code: code,
        because:
          "\(isNoPlace ? "no directory can be created there" : SystemError.words(of: code)); name another place with TMPDIR"
      )
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard mkdir(temporary, 0o700) == 0 else {
      let error = SystemError("create \(temporary)")
      rmdir(path)
      throw error
    }
  }

  /// Sets TMPDIR for this process and its children.
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

  /// Removes the directory, except phones kept as evidence. A failed command may have some in its temporary directory,
  /// such as those of a `baton` that it ran.
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
