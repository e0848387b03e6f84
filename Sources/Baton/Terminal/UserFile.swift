import DaemonRuntime
import Glibc

/// The one writer of files that a user names: a draft beside the file takes its place when it is complete. Only a
/// regular file is ever replaced: a device or pipe would be destroyed, and a link leads to another place. The new file
/// has the owner and the rights of the one that it replaces. Until it is complete it has no name, so that a killed process
/// leaves nothing.
package final class UserFile {
  package let descriptor: Int32
  private let path: String
  private let draft: String
  private let remedy: String
  /// Whether the draft is in the directory.
  private var isNamed: Bool

  /// `O_TMPFILE` of <fcntl.h>, which is not imported.
  private static let withoutName = 0o20_000_000 | O_DIRECTORY

  /// `remedy` ends each error. `mode` is that of a file that is not there yet; with 0600 no other user reads a file that is
  /// replaced either.
  package init(_ path: String, mode: mode_t, _ remedy: String) throws(CommandFailure) {
    func failed(_ code: Int32 = errno) -> CommandFailure {
      CommandFailure(.cannotCreate, "\(SystemError("write \(path)", code: code).fact); \(remedy)")
    }
    self.path = path
    self.remedy = remedy
    let known = try Self.known(path, remedy)
    if known != nil, access(path, W_OK) != 0 { throw failed() }
    // The name of the file itself may have no room for an addition.
    let directory = FilePath.parent(of: Phone(home: path).home)
    draft = "\(directory)/.baton-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let rights = known == nil ? mode : 0o600
    let nameless = open(directory, O_WRONLY | Self.withoutName | O_CLOEXEC, rights)
    isNamed = nameless < 0
    // Not every file system has files without a name.
    descriptor =
      nameless >= 0 ? nameless : open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, rights)
    guard descriptor >= 0 else { throw failed() }
    guard let known else { return }
    if mode == 0o600, known.st_uid != geteuid() {
      throw CommandFailure(
        .cannotCreate, "\(path.onOneLine) belongs to another user, who could read what is written; \(remedy)")
    }
    // In this order: a change of the owner takes rights away.
    let isOfAnother = known.st_uid != geteuid() || known.st_gid != getegid()
    if isOfAnother && fchown(descriptor, known.st_uid, known.st_gid) != 0
      || fchmod(descriptor, known.st_mode & (mode == 0o600 ? 0o600 : 0o777)) != 0
    {
      throw failed()
    }
  }

  deinit {
    close(descriptor)
    if isNamed { unlink(draft) }
  }

  package func complete(with text: String) throws(CommandFailure) {
    guard writeAll(descriptor, Array(text.utf8)) else {
      throw CommandFailure(.inputOutputError, "\(SystemError("write \(path)").fact); \(remedy)")
    }
    try complete()
  }

  /// Gives the draft the file's name; nothing may be written afterwards.
  package func complete() throws(CommandFailure) {
    _ = try Self.known(path, remedy)
    // On the disk before it has the name: a power cut leaves the old file or the new one.
    guard fsync(descriptor) == 0, isInDirectory(), rename(draft, path) == 0 else {
      throw CommandFailure(.cannotCreate, "\(SystemError("write \(path)").fact); \(remedy)")
    }
    isNamed = false
  }

  /// Gives the file the draft's name, if it has none.
  private func isInDirectory() -> Bool {
    if !isNamed {
      isNamed = linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, draft, AT_SYMLINK_FOLLOW) == 0
    }
    return isNamed
  }

  package static func write(
    _ text: String, to path: String, mode: mode_t = 0o644, _ remedy: String
  ) throws(CommandFailure) {
    try UserFile(path, mode: mode, remedy).complete(with: text)
  }

  /// Nil if there is no such file yet.
  private static func known(_ path: String, _ remedy: String) throws(CommandFailure) -> stat? {
    var known = stat()
    guard lstat(path, &known) == 0 else { return nil }
    try require(
      known.st_mode & S_IFMT == S_IFREG, .cannotCreate, "\(path.onOneLine) is not a regular file; \(remedy)")
    return known
  }
}

/// The home of a verb's own phone.
package enum RunPlace {
  /// The named directory, which must be new or empty, else a temporary one. `root` is the named directory if it gets
  /// several homes.
  package static func make(
    _ kept: String?, below root: String? = nil, in place: ScratchPlace?, named name: String
  ) throws(CommandFailure) -> String {
    guard let kept else {
      guard let place else { throw CommandFailure(.bugOfOurs, "\(name) has no temporary directory") }
      do throws(SystemError) {
        return try place.makeHome()
      } catch { throw CommandFailure(.cannotCreate, error.description) }
    }
    // Another user's directory is refused: its owner could change all files in it.
    do throws(SystemError) { try OwnHome.check(kept) } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
    try checkParent(of: root ?? kept)
    try require(
      (DirectoryListing.names(of: kept) ?? []).isEmpty, .cannotCreate,
      "\(kept) is not empty, but \(name) needs a new directory; name another one")
    return kept
  }

  /// The directory may be new, but its parent must exist: a missing one is probably mistyped.
  private static func checkParent(of kept: String) throws(CommandFailure) {
    let parent = FilePath.parent(of: Phone(home: kept).home)
    guard !FilePath.isDirectory(parent) else { return }
    throw CommandFailure(
      .cannotCreate, "the directory \(parent) for \(kept) does not exist; create it, or name another place")
  }
}
