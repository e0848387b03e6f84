import Glibc

/// A script that cannot be started because its interpreter does not exist.
public struct MissingInterpreter {
  /// The interpreter named in the script's first line.
  public let interpreter: String

  /// The kernel's limit for the first line.
  private static let lineBytesMax = 256

  /// Nil if the file has no `#!` line or the interpreter exists.
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
      interpreter.hasSuffix("\r") ? " (it ends with a carriage return, as in Windows files)" : ""
    return
      "its first line names the interpreter \(interpreter), which does not exist\(ending); install it, or name another one in that line"
  }
}
