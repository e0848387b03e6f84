@testable import Baton
@testable import DaemonRuntime

/// Paths of sockets and of homes, and names of journals: from the command line, the environment, and directories.
enum UnixPathFuzz: FuzzTarget {
  static let name = "unix-path"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    [
      "/tmp/a.sock", "a.sock", "./", "/", "//tmp//a", "/proc/self/fd/../x",
      "20261120T191500-mainappd-4711.jsonl", "/tmp/" + String(repeating: "long", count: 40),
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    // Arguments and environment variables contain no zero byte.
    let path = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
    do throws(SystemError) {
      let socket = try UnixPath(path)
      promise(socket.short(socket.name).utf8.count <= 32 + socket.name.utf8.count, "a short path is long")
      promise(!socket.name.utf8.contains(47) && !socket.name.isEmpty, "a socket has no name")
    } catch { promiseOneLine(error.description) }
    promise(Phone(home: path).home.hasPrefix("/"), "a home is not absolute")
    let (process, pid) = JournalMerger.nameParts(path)
    promise(pid == 0 || !process.contains("-"), "a journal name is parsed wrongly")
  }
}
