import Glibc

/// Reads small files, such as those of `/proc`, up to a limit.
public enum SmallFile {
  public static func read(_ path: String, limit: Int) -> [UInt8]? {
    // A pipe without a writer must not block us.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    return read(from: descriptor, limit: limit)
  }

  /// A file of a phone, which must be plain; without a limit, all of it. Nil if there is no such file.
  public static func readOwn(_ path: String, limit: Int? = nil) throws(SystemError) -> [UInt8]? {
    guard let descriptor = try PlainFile.openIfThere(path) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0,
      let bytes = read(from: descriptor, limit: limit ?? Int(status.st_size))
    else { throw SystemError("read \(path)") }
    return bytes
  }

  /// Blocks until the input ends or the limit is reached.
  public static func readStandardInput(limit: Int) -> [UInt8]? { read(from: 0, limit: limit) }

  private static func read(from descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var length = 0
    while length < limit {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + length, limit - length)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      length += count
    }
    bytes.removeLast(limit - length)
    return bytes
  }
}
