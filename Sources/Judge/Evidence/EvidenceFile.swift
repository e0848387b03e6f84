import Glibc
import Platform

/// One file of the home, read piece by piece. Only a plain file is opened: a pipe would block, a device is endless,
/// and a link may lead anywhere.
final class EvidenceFile {
  enum Problem: Error, Hashable {
    case missing
    case unreadable(String)

    var words: String {
      switch self {
      case .missing: "it is not there"
      case .unreadable(let words): words
      }
    }
  }

  /// Longer than any line of our programs, and small enough for memory.
  static let lineLimit = 16 << 20
  private static let pieceSize = 1 << 16

  private let descriptor: Int32
  /// The size at the time of opening: bytes appended later are not read.
  let size: Int64
  private var left: Int64

  init(_ path: String) throws(Problem) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: throw .missing
      case ELOOP: throw .unreadable("it is a link")
      case ENXIO: throw .unreadable("it is not a plain file")
      default: throw .unreadable(String(cString: strerror(errno)))
      }
    }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable("it is not a plain file")
    }
    size = Int64(facts.st_size)
    left = size
  }

  deinit { close(descriptor) }

  /// Reads the next piece into `piece`; false at the end.
  func next(_ piece: inout [UInt8]) throws(Problem) -> Bool {
    let wanted = Int(min(left, Int64(Self.pieceSize)))
    guard wanted > 0 else { return false }
    if piece.count != wanted { piece = [UInt8](repeating: 0, count: wanted) }
    var count = 0
    repeat { count = read(descriptor, &piece, wanted) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    left -= Int64(count)
    if count < wanted {
      piece.removeLast(wanted - count)
      left = 0
    }
    return count > 0
  }

  /// Passes each complete line without its newline to `line`, and before that each piece to `piece`; stops when
  /// `line` returns false. True if the last line is incomplete.
  func readLines(
    piece feed: (ArraySlice<UInt8>) -> Void = { _ in }, line take: (ArraySlice<UInt8>) -> Bool
  ) throws(Problem) -> Bool {
    var piece: [UInt8] = []
    var begun: [UInt8] = []
    var number = 1
    while try next(&piece) {
      feed(piece[...])
      var start = 0
      while let end = piece[start...].firstIndex(of: 10) {
        if begun.isEmpty {
          guard take(piece[start..<end]) else { return false }
        } else {
          begun += piece[start..<end]
          guard take(begun[...]) else { return false }
          begun.removeAll(keepingCapacity: true)
        }
        start = end + 1
        number += 1
      }
      begun += piece[start...]
      guard begun.count <= Self.lineLimit else {
        throw .unreadable("its line \(number) is longer than \(Self.lineLimit >> 20) MB")
      }
    }
    return !begun.isEmpty
  }

  /// The whole file, if it is at most `limit` bytes.
  static func whole(_ path: String, limit: Int64 = 1 << 20) -> [UInt8]? {
    guard let file = try? EvidenceFile(path), file.size <= limit else { return nil }
    var all: [UInt8] = []
    var piece: [UInt8] = []
    while (try? file.next(&piece)) == true { all += piece }
    return all
  }
}

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
    for name in Kernel.names(of: directory) ?? [] { unlink("\(directory)/\(name)") }
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
      do throws(EvidenceFile.Problem) { try Self.copy(database + suffix, to: target + suffix) } catch {
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
        guard count > 0 else { throw .unreadable("it cannot be copied: \(String(cString: strerror(errno)))") }
        written += count
      }
    }
  }
}
