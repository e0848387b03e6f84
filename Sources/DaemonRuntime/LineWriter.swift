import Glibc

/// Appends lines to a file with no other writer. A line truncated by a full disk or a kill loses only itself.
public struct LineWriter {
  private let descriptor: Int32
  private var length: Int
  private var lineIsTorn = false

  /// The descriptor stays owned by the caller; it is open for appending.
  public init(appendingTo descriptor: Int32) {
    self.descriptor = descriptor
    length = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    lineIsTorn = length > 0 && pread(descriptor, &last, 1, length - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// False if the line was not written completely.
  public mutating func append(_ text: String) -> Bool {
    // A torn line that could not be truncated is ended first, so that only one line is lost.
    let bytes = Array("\(lineIsTorn ? "\n" : "")\(text)\n".utf8)
    let count = write(descriptor, bytes, bytes.count)
    if count == bytes.count {
      length += count
      lineIsTorn = false
      return true
    }
    if count > 0 {
      lineIsTorn = ftruncate(descriptor, length) != 0
      if lineIsTorn { length += count }
    }
    return false
  }
}
