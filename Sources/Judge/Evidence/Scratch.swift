import Glibc

/// A temporary directory, removed with this object. Databases that are not in use are copied into it, as SQLite
/// would create files beside the originals. A program that may end by a signal has to remove it itself.
final class Scratch {
  /// Far above the databases of a long run; a sparse file could have any size.
  static let sizeLimit: Int64 = 2 << 30
  /// The files of a database.
  private static let suffixes = ["", "-wal", "-journal"]

  let directory: String

  init() throws(JudgeError) {
    var base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    while base.count > 1, base.hasSuffix("/") { base.removeLast() }
    if base.isEmpty { base = "/tmp" }
    var template = Array("\(base)/judge-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      let code = errno
      // In /proc the kernel reports ENOENT for the new directory.
      let takesNone = code == ENOENT && FileStamp(base) != nil
      throw .noPlace(
        directory: base, reason: takesNone ? "it allows no new directory" : String(cString: strerror(code)))
    }
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in EvidenceFile.names(in: directory) { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  /// Copies a database with its log. Nil if it was opened or changed meanwhile.
  func copy(_ database: String, as name: String) throws(JudgeError) -> String? {
    let before = Self.suffixes.map { FileStamp(database + $0) }
    try checkRoom(for: database)
    let target = directory + "/" + name
    for suffix in Self.suffixes {
      unlink(target + suffix)
      guard FileStamp(database + suffix) != nil else { continue }
      do throws(EvidenceFile.Problem) {
        try Self.copy(database + suffix, to: target + suffix)
      } catch {
        throw .unreadable(path: database + suffix, reason: error.words)
      }
    }
    let isUntouched = Self.suffixes.map { FileStamp(database + $0) } == before
    return isUntouched && !LiveFiles.isInUse(database) ? target : nil
  }

  private func checkRoom(for database: String) throws(JudgeError) {
    var all: Int64 = 0
    for suffix in Self.suffixes {
      guard let size = FileStamp(database + suffix)?.size else { continue }
      guard size <= Self.sizeLimit else { throw .tooLarge(path: database + suffix, bytes: size) }
      all += size
    }
    var room = statvfs()
    guard statvfs(directory, &room) == 0 else { return }
    let free = Int64(
      clamping: UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize)).partialValue)
    if all > free { throw .noRoom(path: database, bytes: all, directory: directory, free: free) }
  }

  private static func copy(_ path: String, to target: String) throws(EvidenceFile.Problem) {
    let file = try EvidenceFile(path)
    let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .unreadable("it cannot be copied: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var piece: [UInt8] = []
    while try file.next(&piece) {
      var written = 0
      while written < piece.count {
        let count = piece.withUnsafeBytes {
          write(descriptor, $0.baseAddress.map { $0 + written }, piece.count - written)
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          throw .unreadable("it cannot be copied: \(String(cString: strerror(errno)))")
        }
        written += count
      }
    }
  }
}
