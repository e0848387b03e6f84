import Database

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Reading without a trace: SQLite makes files beside a database that it only reads.
extension IncomingStore {
  private static let attempts = 5
  /// Far more than the rows of a full store need.
  private static let sizeMax = 16 << 20

  /// The records of a container in use, or of a copy of one, read from a copy of the store. No rows if there is none.
  public func look() throws(IncomingStoreError) -> [IncomingEntry] {
    guard try isThere() else { return [] }
    let copy = try copied()
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array("\(named.isEmpty ? "/tmp" : named)/baton-incoming-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .failed(
        "no directory for a copy of \(path) can be made; name one that can be written with TMPDIR")
    }
    let directory = String(cString: made)
    let place = "\(directory)/\(Self.fileName)"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(place + suffix) }
      rmdir(directory)
    }
    try Self.write(copy.database, to: place)
    if let log = copy.log { try Self.write(log, to: place + "-wal") }
    return try running {
      let database = try Connection(path: place, access: .readWrite)
      return try database.schemaVersion() == 0 ? [] : Self.entries(of: database)
    }
  }

  /// The database with the log that belongs to it: an older log over a newer database would take writes back. While
  /// the log stays the same, SQLite only copies it into the database.
  private func copied() throws(IncomingStoreError) -> (database: [UInt8], log: [UInt8]?) {
    for _ in 0..<Self.attempts {
      let log = try Self.bytes(of: path + "-wal")
      let database = try Self.bytes(of: path)
      if let database, try Self.bytes(of: path + "-wal") == log { return (database, log) }
    }
    throw .busy
  }

  /// nil if there is no such file.
  private static func bytes(of path: String) throws(IncomingStoreError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 && errno == ENOENT { return nil }
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw failure(path) }
      bytes += buffer[..<count]
      if bytes.count > sizeMax {
        throw .failed("\(path) is too large to be a store of records; check the path")
      }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(IncomingStoreError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { start in
          // The module's own `write` hides the system's.
          pwrite(file, start + offset, bytes.count - offset, off_t(offset))
        } ?? -1
      }
      guard count > 0 else { throw failure(path) }
      offset += count
    }
  }

  private static func failure(_ path: String) -> IncomingStoreError {
    .failed("\(path) cannot be copied (\(String(cString: strerror(errno)))); check its permissions")
  }
}
