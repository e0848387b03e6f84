import Ground
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The paths in a container, and their creation: directories 0700, files 0600.
public struct ContainerLayout: Hashable, Sendable {
  public let directory: String

  public init(directory: String) {
    var trimmed = Substring(directory)
    // With a trailing slash `lstat` would follow a symbolic link.
    while trimmed.count > 1 && trimmed.hasSuffix("/") { trimmed.removeLast() }
    self.directory = trimmed.isEmpty ? "." : String(trimmed)
  }

  public var locks: String { directory + "/locks" }
  public func roleLock(of role: Role) -> String { locks + (role == .app ? "/app.lock" : "/extension.lock") }
  public var appIntent: String { locks + "/app.intent" }
  public var database: String { directory + "/node.sqlite" }
  public var databaseLog: String { database + "-wal" }
  public var databaseSharedMemory: String { database + "-shm" }
  public var databaseJournal: String { database + "-journal" }
  public var heartbeat: String { directory + "/heartbeat" }
  public var presence: String { directory + "/presence" }

  var lockFiles: [String] { [roleLock(of: .app), roleLock(of: .extension), appIntent] }

  /// Creates missing directories and files, and checks the existing ones. Safe for several processes at once.
  func create() throws(ContainerError) {
    try makeDirectory(directory)
    try makeDirectory(locks)
    try makeDirectory(presence)
    // All locks of both roles are created at once: from then on a missing lock file is damage, not a free lock.
    for path in lockFiles { close(try GuardFile.openOrCreate(path)) }
    try checkHeartbeat()
  }

  /// If beats cannot be written, a healthy owner would look frozen.
  private func checkHeartbeat() throws(ContainerError) {
    do {
      close(try GuardFile.openExisting(heartbeat, O_RDWR))
    } catch .missing {}
  }

  /// An empty database file with the right mode, which SQLite then gives to its log as well.
  ///
  /// Closing the descriptor is harmless only because `O_EXCL` proves that the file is new, so that no
  /// connection of this process can have it open.
  func createDatabase() throws(ContainerError) {
    let descriptor = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 {
      close(descriptor)
      syncDirectory(directory)
      return
    }
    let code = errno
    guard code == EEXIST else { throw ContainerError(errno: code, path: database, doing: "creating") }
    _ = try databaseFacts()
  }

  /// Checks the database and the files beside it without opening them.
  func databaseFacts() throws(ContainerError) -> FileFacts {
    for path in [databaseLog, databaseSharedMemory, databaseJournal] {
      do { _ = try Self.checkFile(path) } catch .missing {}
    }
    return try Self.checkFile(database)
  }

  /// A plain file with one name that no other user may change.
  static func checkFile(_ path: String) throws(ContainerError) -> FileFacts {
    let facts = try FileFacts.at(path).get()
    if let fault = OwnFault.find(mode: facts.mode, owner: facts.owner, mustBe: .plainFile) {
      throw ContainerError(OwnError(path: path, fault: fault))
    }
    guard facts.links == 1 else {
      throw .notAPlainFile(path: path, because: "as it has \(facts.links) names")
    }
    return facts
  }

  /// The errors that would prevent opening the container, found without opening or creating anything.
  public func damage() -> [ContainerError] {
    let directories = [directory, locks, presence].map { path in Result { try Self.checkDirectory(path) } }
    let files = (lockFiles + [heartbeat, database, databaseLog, databaseSharedMemory]).map { path in
      Result { try Self.checkFile(path) }
    }
    return (directories + files).compactMap { result in
      guard case .failure(let error) = result, let error = error as? ContainerError else { return nil }
      // A missing file is created again, or its reader reports it.
      if case .missing = error { return nil }
      return error
    }
  }

  private func makeDirectory(_ path: String) throws(ContainerError) {
    var isNew = false
    do throws(OwnError) {
      let place = try OwnDirectory.make(path)
      isNew = place.isNew
    } catch { throw ContainerError(error) }
    // Without this a power cut could remove the container after its first durable claim.
    if isNew { syncDirectory(path + "/..") }
  }

  /// A directory that other users may change protects nothing.
  @discardableResult static func checkDirectory(_ path: String) throws(ContainerError) -> FileFacts {
    let facts = try FileFacts.at(path).get()
    if let fault = OwnFault.find(mode: facts.mode, owner: facts.owner, mustBe: .directory) {
      throw ContainerError(OwnError(path: path, fault: fault))
    }
    return facts
  }

  private func syncDirectory(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    Kernel.makeDurable(descriptor)
    close(descriptor)
  }
}
