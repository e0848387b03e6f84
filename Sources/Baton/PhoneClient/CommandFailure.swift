import DaemonRuntime
import Guardrails
import PhonePolicy
import SharedContainer

/// What a verb needs; otherwise it fails with the sentence.
func require(
  _ isMet: Bool, _ code: ExitCode, _ sentence: @autoclosure () -> String
) throws(CommandFailure) {
  if !isMet { throw CommandFailure(code, sentence()) }
}

func require<Value>(
  _ value: Value?, _ code: ExitCode, _ sentence: @autoclosure () -> String
) throws(CommandFailure) -> Value {
  guard let value else { throw CommandFailure(code, sentence()) }
  return value
}

/// Why a verb failed: one sentence and the exit code.
package struct CommandFailure: Error, Hashable, CustomStringConvertible {
  package var code: ExitCode
  package var sentence: String
  /// Lines of another program's output, such as a daemon's log.
  package var details: [String] = []

  package var description: String { ([sentence] + details).joined(separator: "\n") }

  package init(_ code: ExitCode, _ sentence: String, details: [String] = []) {
    self.code = code
    self.sentence = sentence
    self.details = details
  }

  /// Maps an error of a library to its exit code.
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ControlClientError: self.init(Self.code(of: error), Self.sentence(of: error))
    case let error as ContainerError: self.init(.inputOutputError, error.description)
    case let error as SystemError: self.init(.inputOutputError, error.description)
    case let failure as Wait.Failure: self.init(.tooSlow, failure.description)
    case let error as UsageError: self.init(.wrongUsage, error.description)
    default:
      self.init(.bugOfOurs, "unexpected error (\(error)); please report this message and the command line")
    }
  }

  /// The failure as JSON.
  struct Document: Report {
    struct Failure: Report {
      /// The exit code's name.
      var code: String
      var exit: Int32
      var message: String
    }

    var error: Failure
  }

  var document: Document {
    Document(error: .init(code: code.word, exit: code.rawValue, message: description))
  }

  /// Prints the failure, and returns the exit code.
  package func tell(asJSON: Bool) -> ExitCode {
    if asJSON { StandardOutput.write("\(document.json)\n") }
    sayOnStandardError(sentence, details: details)
    return code
  }

  private static func code(of error: ControlClientError) -> ExitCode {
    switch error {
    case .notRunning, .foreign, .stopped, .timedOut, .hungUp: .daemonMissing
    case .refused: .notDone
    case .outcomeUnknown: .tooSlow
    case .malformed: .bugOfOurs
    case .system: .inputOutputError
    }
  }

  private static func sentence(of error: ControlClientError) -> String {
    guard case .notRunning(let daemon, _) = error else { return error.description }
    return "\(daemon) of this phone does not run; start it with `baton up`"
  }
}
