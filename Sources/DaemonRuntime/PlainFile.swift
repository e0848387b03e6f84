import Glibc

/// Opens small files that must be plain: a pipe would block or swallow what is written, a link leads elsewhere.
public enum PlainFile {
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
