import Glibc
import Platform

/// Opens files that must be plain files: a pipe would block or swallow the bytes, a link points elsewhere.
public enum PlainFile {
  /// For reading; nil if there is no such file.
  static func openIfThere(_ path: String) throws(SystemError) -> Int32? {
    do throws(SystemError) { return try open(path, O_RDONLY) } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// A new file; replaces an existing one.
  public static func openNew(_ path: String) throws(SystemError) -> Int32 {
    unlink(path)
    return try open(path, O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Replaces a file of a phone atomically: a reader never sees a part of it. `syncs`: it is on the disk before it has
  /// the name.
  public static func replace(_ path: String, with bytes: [UInt8], syncs: Bool = false) throws(SystemError) {
    let draft = "\(path).new"
    // Replaces a draft of an earlier run, or another file of that name.
    let descriptor = try openNew(draft)
    let isWritten = writeAll(descriptor, bytes) && (!syncs || fsync(descriptor) == 0)
    let code = errno
    close(descriptor)
    guard isWritten else {
      unlink(draft)
      throw SystemError("write \(draft)", code: code)
    }
    if rename(draft, path) != 0 { throw SystemError("write \(path)") }
  }

  /// Syncs the file's directory, so that its name is on the disk too.
  public static func keepName(of path: String) throws(SystemError) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let place = Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let isKept = place >= 0 && fsync(place) == 0
    let code = errno
    if place >= 0 { close(place) }
    if !isKept { throw SystemError("sync the directory of \(path)", code: code) }
  }

  /// It is truncated only once it is known to be a plain file.
  public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) -> Int32 {
    let descriptor = Glibc.open(path, flags & ~O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    if descriptor < 0 {
      // ENXIO: a pipe without a reader, or a socket.
      throw SystemError("open \(path)", code: errno == ENXIO ? ESPIPE : errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SystemError("open \(path)", code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE)
    }
    if flags & O_TRUNC != 0, ftruncate(descriptor, 0) != 0 {
      let error = SystemError("truncate \(path)")
      close(descriptor)
      throw error
    }
    return descriptor
  }
}

/// Daemons have another working directory, and a recorded path must be valid for a later reader.
public func absolutePath(_ path: String) -> String {
  guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
  defer { free(current) }
  let directory = String(cString: current)
  return "\(directory == "/" ? "" : directory)/\(path.hasPrefix("./") ? path.dropFirst(2) : path[...])"
}

/// Reads small files, such as those of `/proc`, up to a limit.
public enum SmallFile {
  public static func read(_ path: String, limit: Int) -> [UInt8]? {
    // A pipe without a writer must not block us.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return read(from: descriptor, limit: limit)
  }

  /// A file of a phone, which must be plain; without a limit, all of it. Nil if there is no such file.
  public static func readOwn(_ path: String, limit: Int? = nil) throws(SystemError) -> [UInt8]? {
    guard let descriptor = try PlainFile.openIfThere(path) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      let bytes = read(from: descriptor, limit: limit ?? Int(status.st_size))
    else { throw SystemError("read \(path)") }
    return bytes
  }

  /// Blocks until the input ends or the limit is reached.
  public static func readStandardInput(limit: Int) -> [UInt8]? { read(from: 0, limit: limit) }

  private static func read(from descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var length = 0
    while length < limit {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + length, limit - length)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      length += count
    }
    bytes.removeLast(limit - length)
    return bytes
  }
}

/// Secret bytes in a file that only its owner can read.
public struct SecretFile {
  public let path: String
  private let size: Int

  public init(path: String, size: Int) {
    self.path = path
    self.size = size
  }

  /// Nil if there is no such file.
  public func read() throws -> [UInt8]? {
    guard let descriptor = try PlainFile.openIfThere(path) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("read the attributes of \(path)") }
    guard status.st_mode & 0o077 == 0 else { throw SecretFileError.openToOthers(path) }
    var bytes = [UInt8](repeating: 0, count: size + 1)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError("read \(path)") }
    guard count == size else { throw SecretFileError.wrongSize(path, Int64(status.st_size), wanted: size) }
    // In place: a copy of the secret would stay in memory.
    bytes.removeLast(bytes.count - size)
    return bytes
  }

  /// As `read`, but a file that something stands on must be there.
  public func read(isNeeded: Bool) throws -> [UInt8]? {
    let known = try read()
    if known == nil && isNeeded { throw SecretFileError.missing(path) }
    return known
  }

  /// Written under another name and then linked, so that no reader sees a partial secret and an existing one is
  /// never replaced. Returns the stored secret: of two concurrent writers both get the first one's.
  public func keep(_ fresh: [UInt8]) throws -> [UInt8] {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let temporary = "\(directory)/.\(name).\(getpid())"
    let descriptor = try PlainFile.openNew(temporary)
    let count = write(descriptor, fresh, fresh.count)
    let isWritten = count == fresh.count && fsync(descriptor) == 0
    // A short write does not set errno.
    let code = 0..<fresh.count ~= count ? ENOSPC : errno
    close(descriptor)
    defer { unlink(temporary) }
    guard isWritten else { throw SystemError("write \(temporary)", code: code) }
    if link(temporary, path) != 0 && errno != EEXIST { throw SystemError("create \(path)") }
    try? PlainFile.keepName(of: path)
    guard let kept = try read() else { throw SystemError("read \(path)", code: ENOENT) }
    return kept
  }
}

/// Why the bytes of a secret file cannot be used.
public enum SecretFileError: Error, Hashable, CustomStringConvertible {
  case wrongSize(String, Int64, wanted: Int)
  case openToOthers(String)
  case missing(String)

  public var description: String {
    switch self {
    case .wrongSize(let path, let size, let wanted):
      "\(path) has \(size) bytes and must have \(wanted); restore the original file"
    case .missing(let path): "\(path) is missing, and no new key can take its place; put the file back"
    case .openToOthers(let path): "\(path) is readable by other users; run chmod 600 on it"
    }
  }
}

/// The names in a directory.
public enum DirectoryListing {
  /// Sorted, without `.` and `..`; nil if it cannot be read. Use `stat` for the type: not every file system has it
  /// here.
  public static func names(of directory: String) -> [String]? { Kernel.names(of: directory) }

  /// Of the opened directory, even if its path was replaced since.
  public static func names(in directory: OwnDirectory) -> [String]? {
    let descriptor = directory.openToRead()
    return descriptor < 0 ? nil : Kernel.names(closing: descriptor)
  }
}

/// Appends lines to a file with no other writer. A line truncated by a full disk or a kill loses only itself.
public struct LineWriter {
  private let descriptor: Int32
  private var length: Int
  private var lineIsTorn = false

  /// The descriptor stays owned by the caller; it is open for appending.
  public init(appendingTo descriptor: Int32) {
    self.descriptor = descriptor
    length = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    lineIsTorn = length > 0 && pread(descriptor, &last, 1, length - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// False if the line was not written completely.
  public mutating func append(_ text: String) -> Bool {
    // A torn line that could not be truncated is ended first, so that only one line is lost.
    let bytes = Array("\(lineIsTorn ? "\n" : "")\(text)\n".utf8)
    let count = write(descriptor, bytes, bytes.count)
    if count == bytes.count {
      length += count
      lineIsTorn = false
      return true
    }
    if count > 0 {
      lineIsTorn = ftruncate(descriptor, length) != 0
      if lineIsTorn { length += count }
    }
    return false
  }
}
