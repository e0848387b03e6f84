import Glibc

/// Appends lines to a file of ours alone. One that is cut short, by a full disk or a kill, costs itself and no other.
public struct LineWriter {
  private let descriptor: Int32
  private var length: Int
  private var lineIsTorn = false

  /// The descriptor stays its owner's; it appends.
  public init(appendingTo descriptor: Int32) {
    self.descriptor = descriptor
    length = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    lineIsTorn = length > 0 && pread(descriptor, &last, 1, length - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// False when the line is not there whole.
  public mutating func append(_ text: String) -> Bool {
    // A torn line that could not be taken back is ended first, so that it costs one line and not two.
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
