import Glibc

/// A number in a plain file, incremented without any lock: two holders at once would lose an increment.
enum SharedCounter {
  static func grow(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { fail("no counter") }
    defer { close(descriptor) }
    var value: UInt64 = 0
    pread(descriptor, &value, 8, 0)
    value += 1
    guard pwrite(descriptor, &value, 8, 0) == 8 else { fail("no counter") }
  }
}

/// One log that all processes append to: the kernel orders the lines.
struct LogFile {
  private let descriptor: Int32

  init(path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { fail("no log") }
  }

  func append(_ line: String) {
    let bytes = Array(line.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { fail("the log is full") }
  }
}
