import Glibc

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
