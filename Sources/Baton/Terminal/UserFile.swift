import DaemonRuntime
import Glibc
import PhoneClient

/// The one writer of files that a user names: a draft beside the file takes its place when it is complete. Only a
/// regular file is ever replaced: a device or pipe would be destroyed, and a link leads to another place. The new file
/// has the owner and the rights of the one that it replaces.
package final class UserFile: Sendable {
  package let descriptor: Int32
  private let path: String
  private let draft: String
  private let remedy: String
  private let isComplete = Locked(false)

  /// `remedy` ends each error. `mode` is that of a file that is not there yet.
  package init(_ path: String, mode: mode_t, _ remedy: String) throws(CommandFailure) {
    func failed(_ code: Int32 = errno) -> CommandFailure {
      CommandFailure(.cannotCreate, "\(SystemError("write \(path)", code: code).fact); \(remedy)")
    }
    self.path = path
    self.remedy = remedy
    let known = try Self.known(path, remedy)
    if known != nil, access(path, W_OK) != 0 { throw failed() }
    // The name of the file itself may have no room for an addition.
    draft =
      "\(FilePath.parent(of: Phone(home: path).home))/.baton-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    descriptor = open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, known == nil ? mode : 0o600)
    guard descriptor >= 0 else { throw failed() }
    guard let known else { return }
    // In this order: a change of the owner takes rights away.
    let isOfAnother = known.st_uid != geteuid() || known.st_gid != getegid()
    if isOfAnother && fchown(descriptor, known.st_uid, known.st_gid) != 0
      || fchmod(descriptor, known.st_mode & 0o7777) != 0
    {
      throw failed()
    }
  }

  deinit {
    close(descriptor)
    if !isComplete.withLock({ $0 }) { unlink(draft) }
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
    guard rename(draft, path) == 0 else {
      throw CommandFailure(.cannotCreate, "\(SystemError("write \(path)").fact); \(remedy)")
    }
    isComplete.withLock { $0 = true }
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
    guard known.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.cannotCreate, "\(path.onOneLine) is not a regular file; \(remedy)")
    }
    return known
  }
}
