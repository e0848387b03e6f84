import Glibc
import OwnFiles

/// Opens small files that must be plain: a pipe would block or swallow what is written, a link leads elsewhere.
public enum PlainFile {
  /// A file of a phone: it must be this user's, and no other may change it. Asked of what was opened, so that nothing is
  /// read from it, or written to it, before.
  public static func openOwn(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = try open(path, flags)
    if let fault = OwnFault.find(descriptor: descriptor, mustBe: .plainFile) {
      close(descriptor)
      throw SystemError("open \(path)", fault)
    }
    return descriptor
  }

  /// For reading; nil if there is none.
  static func openOwnIfThere(_ path: String) throws(SystemError) -> Int32? {
    do throws(SystemError) {
      return try openOwn(path, O_RDONLY)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// A new one in the place of whatever has that name.
  public static func openNew(_ path: String) throws(SystemError) -> Int32 {
    unlink(path)
    return try openOwn(path, O_WRONLY | O_CREAT | O_EXCL)
  }

  /// For what a library opens by its path, following links: looked at before, in a directory in which nobody else can put
  /// anything later. What is not there, or no file at all, the library says in its own words.
  public static func checkOwn(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    switch OwnFault.find(mode: UInt32(status.st_mode), owner: UInt32(status.st_uid), mustBe: .plainFile) {
    case nil, .notAPlainFile, .notADirectory: return
    case .some(let fault): throw SystemError("open \(path)", fault)
    }
  }

  /// One that the user names, and that may be anybody's.
  public static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) -> Int32 {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    if descriptor < 0 {
      // How a pipe without a reader, or a socket, answers.
      throw SystemError("open \(path)", code: errno == ENXIO ? ESPIPE : errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SystemError("open \(path)", code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE)
    }
    return descriptor
  }
}
