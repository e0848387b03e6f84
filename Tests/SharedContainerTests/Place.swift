import SharedContainer

/// One test's own directory, with a container in it on request; removed afterwards.
final class Place: Sendable {
  let path: String
  static let schema = ["CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT NOT NULL)"]

  init() {
    var template = Array("/tmp/baton-container-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit { Files.removeTree(path) }

  var directory: String { path + "/AppGroup" }
  var layout: ContainerLayout { ContainerLayout(directory: directory) }
  func file(_ name: String) -> String { path + "/" + name }

  func open(_ role: Role) throws -> SharedContainer {
    try SharedContainer.open(directory, role: role, nodeSchema: Self.schema)
  }
}

extension Claimant {
  /// A claimant, distinguished by its incarnation.
  static func test(_ incarnation: UInt64 = 7, reason: String = "a test") -> Claimant {
    Claimant(
      process: .test, incarnation: incarnation, reason: reason, bootClock: Instant(nanoseconds: 5),
      wallClockNanoseconds: 6)
  }
}

extension ProcessIdentity {
  static let test = ProcessIdentity(pid: getpid(), startTime: .max, boot: BootID(high: .max, low: 2))
}

extension SharedContainer {
  func claim(seen: Epoch, _ incarnation: UInt64 = 7) -> ClaimResult<Int64> {
    claim(seen: seen, by: .test(incarnation)) { node in
      try node.firstRow("SELECT count(*) FROM notes")?.integer(0) ?? -1
    }
  }

  /// The claim; throws if it is not made.
  func owned(seen: Epoch, _ incarnation: UInt64 = 7) throws -> Claim {
    guard case .claimed(let claim, _) = claim(seen: seen, incarnation) else { throw NotClaimed() }
    return claim
  }

  func note(_ words: String, under claim: Claim) -> FencedResult<Int64> {
    fencedWrite(under: claim, what: "note", atMonotonic: Instant(nanoseconds: 9)) { node in
      try node.execute("INSERT INTO notes (words) VALUES (?)", [.text(words)])
      return try node.lastInsertedRowID()
    }
  }

  func notes() -> [String]? {
    try? read { _, node in try node.rows("SELECT words FROM notes").map { try $0.text(0) } }
  }

  func seen() -> Observation? {
    try? look(boot: BootID(high: 1, low: 2), bootClock: Instant(nanoseconds: 3))
  }
}

struct NotClaimed: Error {}

enum Files {
  static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt32(status.st_mode & 0o7777) : 0
  }

  static func names(in directory: String) -> [String] {
    guard let listing = opendir(directory) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The files that a process has open beyond the standard streams, in the order of their descriptors.
  static func descriptors(of pid: pid_t) -> [String] {
    let directory = "/proc/\(pid)/fd"
    return names(in: directory).compactMap { Int32($0) }.sorted().filter { $0 > STDERR_FILENO }.compactMap {
      number in
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = readlink("\(directory)/\(number)", &buffer, buffer.count)
      let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
      return path.hasPrefix("/") ? path : nil
    }
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func removeTree(_ path: String) {
    if isDirectory(path) {
      chmod(path, 0o700)
      for name in names(in: path) { removeTree(path + "/" + name) }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// In another process: closing a live database here would drop the locks that SQLite holds in this process.
  static func copyByAnotherProcess(_ source: String, _ target: String) {
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = []
    for word in ["cp", "-a", source, target] { words.append(strdup(word)) }
    words.append(nil)
    defer { for word in words { free(word) } }
    if posix_spawnp(&pid, "cp", nil, nil, &words, environ) == 0 { waitpid(pid, nil, 0) }
  }

  static func read(_ path: String) -> [UInt8] {
    let descriptor = Glibc.open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  static func write(_ path: String, _ bytes: [UInt8]) {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    pwrite(descriptor, bytes, bytes.count, 0)
  }
}
