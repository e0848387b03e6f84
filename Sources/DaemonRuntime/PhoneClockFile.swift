import Glibc

/// The file through which iosd gives each phone its own clocks. iosd writes it, the other programs read it.
public final class PhoneClockFile {
  public let path: String
  private var reader: Int32 = -1

  public init(path: String) { self.path = path }

  deinit { if reader >= 0 { close(reader) } }

  /// Nil if there is no file or its checksum is wrong.
  public func read() -> PhoneClock? {
    if reader < 0 {
      reader = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if reader < 0 { return nil }
    }
    // A read may fall into the middle of a write; the writer needs less than a microsecond.
    for _ in 0..<4 {
      var bytes = [UInt8](repeating: 0, count: PhoneClock.size)
      guard pread(reader, &bytes, bytes.count, 0) == bytes.count else { return nil }
      if let clock = PhoneClock(decoding: bytes) { return clock }
    }
    return nil
  }

  /// One `pwrite` in place, so that readers keep their descriptor.
  public func write(_ clock: PhoneClock) throws(SystemError) {
    let descriptor = try PlainFile.open(path, O_WRONLY | O_CREAT)
    defer { close(descriptor) }
    let bytes = clock.encoded()
    let count = pwrite(descriptor, bytes, bytes.count, 0)
    if count != bytes.count { throw SystemError("write \(path)", code: count < 0 ? errno : ENOSPC) }
  }
}
