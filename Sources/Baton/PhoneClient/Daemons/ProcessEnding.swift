import CLinux
import DaemonRuntime
import PhonePolicy

/// A status of `waitpid` as a sentence.
package struct ProcessEnding: CustomStringConvertible {
  private let status: Int32?

  package init(_ status: Int32?) { self.status = status }

  package var isGood: Bool { status == 0 }

  var isBySignal: Bool { status.map { baton_wait_signalled($0) != 0 } ?? false }

  /// Nil after a signal, or for an unknown code.
  package var exitCode: ExitCode? {
    isBySignal ? nil : status.flatMap { ExitCode(rawValue: baton_wait_exit_code($0)) }
  }

  package var description: String {
    guard let status else { return "has ended" }
    return isBySignal
      ? "was ended by \(SignalName.word(for: baton_wait_signal(status)))"
      : "ended with exit code \(baton_wait_exit_code(status))"
  }
}
