import DaemonRuntime
import Glibc

/// All output of verbs to stdout: a failed write is remembered, so that a truncated output gives an error.
package enum StandardOutput {
  private static let trouble = Locked<Int32?>(nil)

  /// False once a write has failed: text after a gap would be misread.
  @discardableResult package static func write(_ text: String) -> Bool {
    trouble.withLock { trouble in
      if trouble != nil { return false }
      if writeAll(standardOutput, Array(text.utf8)) { return true }
      trouble = errno
      return false
    }
  }

  package static var hasFailed: Bool { trouble.withLock { $0 != nil } }

  /// The exit code after all output. A failed write turns success into an error, except if the reader is gone
  /// (`| head`).
  package static func end(_ code: ExitCode) -> ExitCode {
    guard let trouble = trouble.withLock({ $0 }), trouble != EPIPE else { return code }
    let sentence = SystemError("write to standard output", code: trouble).description
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
    return code == .done ? .inputOutputError : code
  }
}
