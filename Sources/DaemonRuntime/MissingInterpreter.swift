import Glibc

/// A program that is there and cannot be started, as what should run it is not there.
public struct MissingInterpreter {
  /// What its first line names.
  public let interpreter: String

  /// The kernel reads no more of a first line.
  private static let lineBytesMax = 256

  /// Nil when the file has no line of the kind, or its interpreter is there.
  public init?(of program: String) {
    guard let bytes = SmallFile.read(program, limit: Self.lineBytesMax), bytes.starts(with: [35, 33]),
      let line = bytes.dropFirst(2).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .first
    else { return nil }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let first = words.first else { return nil }
    interpreter = String(decoding: first, as: UTF8.self)
    guard access(interpreter, F_OK) != 0 else { return nil }
  }

  public var sentence: String {
    let ending =
      interpreter.hasSuffix("\r") ? " (it ends with a carriage return, as files of Windows do)" : ""
    return
      "its first line names the interpreter \(interpreter), which is not there\(ending); install it, or name another one in that line"
  }
}
