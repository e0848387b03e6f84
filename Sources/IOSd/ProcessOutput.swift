import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// The file that takes what one process of the phone writes to its standard output and error: a program that crashes says why there.
/// One that wrote nothing leaves no file.
final class ProcessOutput {
  let descriptor: Int32

  /// Nil where no file can be made, as on a full disk: then iosd's own output has it.
  init?(_ home: PhoneHome, _ role: Role, _ id: UInt64) {
    mkdir(home.output, 0o700)
    let path = Self.path(home, role, id)
    guard let file = try? PlainFile.open(path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC) else { return nil }
    descriptor = file
  }

  func close() { Glibc.close(descriptor) }

  private static func path(_ home: PhoneHome, _ role: Role, _ id: UInt64) -> String {
    "\(home.output)/\(role.rawValue)-\(id).log"
  }

  // MARK: At the end of the process

  private static let tailBytes = 4096
  private static let lineCharactersMax = 300

  /// Where it is, and what stands in its last line that is not empty.
  static func end(_ home: PhoneHome, _ role: Role, _ id: UInt64) -> (path: String, lastLine: String?)? {
    let path = path(home, role, id)
    guard let file = try? PlainFile.open(path, O_RDONLY) else { return nil }
    defer { Glibc.close(file) }
    let size = lseek(file, 0, SEEK_END)
    guard size > 0 else {
      unlink(path)
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: tailBytes)
    let count = max(0, pread(file, &bytes, tailBytes, max(0, size - tailBytes)))
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
    let last = lines.last { !$0.allSatisfy(\.isWhitespace) }
    return (path, last.map { ScreenText.cut(String($0), to: lineCharactersMax) })
  }
}
