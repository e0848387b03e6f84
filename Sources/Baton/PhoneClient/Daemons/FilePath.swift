import DaemonRuntime
import Glibc

/// Helpers for files and directories.
package enum FilePath {
  package static func isDirectory(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 && !isDirectory(path) }

  /// The parent of an absolute path.
  package static func parent(of path: String) -> String {
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    return parent.isEmpty ? "/" : parent
  }

  /// Creates a directory and its parents, mode 0700.
  package static func makeDirectories(_ path: String) throws(CommandFailure) {
    if isDirectory(path) { return }
    let parent = parent(of: path)
    if parent != "/" && parent != path { try makeDirectories(parent) }
    if mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw CommandFailure(.cannotCreate, SystemError("create \(path)").description)
    }
    try require(
      isDirectory(path), .cannotCreate,
      "\(path) is not a directory; move it away, or name another place with --home")
  }

  /// The directory for temporary files.
  package static var temporary: String {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return named.isEmpty ? "/tmp" : named
  }

  /// Removes a file, or a directory with all in it. A link is removed itself.
  package static func remove(_ path: String) {
    guard unlink(path) != 0, errno == EISDIR else { return }
    for name in DirectoryListing.names(of: path) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// All that is in a file or comes from a pipe; nil if it cannot be read.
  package static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? nil : bytes }
      bytes += piece[..<count]
    }
  }

  /// Zero if the file does not exist.
  package static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// The journals' names, sorted by name and so by wall time.
  package static func journals(in directory: String) -> [String] {
    (DirectoryListing.names(of: directory) ?? []).filter { $0.hasSuffix(".jsonl") }
  }

  /// The last lines of a log, from byte `beginning` on, without reading all of it.
  package static func lastLines(of path: String, count: Int, from beginning: Int = 0) -> [String] {
    guard let descriptor = try? PlainFile.open(path, O_RDONLY) else { return [] }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let length = pread(descriptor, &buffer, buffer.count, max(0, beginning, size - buffer.count))
    guard length > 0 else { return [] }
    let lines = String(decoding: buffer[..<length], as: UTF8.self).split(separator: "\n")
    return lines.suffix(count).map(String.init)
  }

  /// The directory of the running program, which also has the daemons.
  package static var ownDirectory: String { parent(of: ProcessTable.program() ?? "./baton") }
}
