import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// The file of one process's standard output and error, where a crashing program prints the reason. It is removed
/// if it is empty.
final class ProcessOutput {
  let descriptor: Int32

  /// Nil if no file can be created, as on a full disk: then the process writes to iosd's own output.
  init?(_ home: PhoneHome, _ role: Role, _ id: UInt64) {
    mkdir(home.output, 0o700)
    let path = Self.path(home, role, id)
    guard let file = try? PlainFile.open(path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC) else { return nil }
    descriptor = file
  }

  func close() { Glibc.close(descriptor) }

  static func path(_ home: PhoneHome, _ role: Role, _ id: UInt64) -> String {
    "\(home.output)/\(role.rawValue)-\(id).log"
  }

  // MARK: At the end of the process

  private static let tailBytes = 4096
  private static let lineCharactersMax = 300

  /// The file's path, and its last line that is not empty.
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
