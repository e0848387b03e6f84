import Glibc

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
    let directoryDescriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directoryDescriptor >= 0 {
      fsync(directoryDescriptor)
      close(directoryDescriptor)
    }
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
