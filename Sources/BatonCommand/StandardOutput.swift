import DaemonRuntime
import Glibc

/// Whatever verbs write on stdout goes through here, so that an output that was cut short is never taken for a whole one.
enum StandardOutput {
  private static let trouble = Locked<Int32?>(nil)

  /// False when it could not be written, and from then on: what comes behind a gap would be misread.
  @discardableResult
  static func write(_ text: String) -> Bool {
    trouble.withLock { trouble in
      if trouble != nil { return false }
      if writeAll(standardOutput, Array(text.utf8)) { return true }
      trouble = errno
      return false
    }
  }

  static var hasFailed: Bool { trouble.withLock { $0 != nil } }

  /// What a verb ends with, after all that it had to say. Bad news stay what they are; a reader that has gone away
  /// (`| head`) has what it wanted.
  static func end(_ code: ExitCode) -> ExitCode {
    guard let trouble = trouble.withLock({ $0 }), trouble != EPIPE else { return code }
    let sentence = SystemError("write to standard output", code: trouble).description
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
    return code == .done ? .inputOutputError : code
  }
}
