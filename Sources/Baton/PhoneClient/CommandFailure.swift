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
    case is ContainerError, is SystemError: self.init(.inputOutputError, "\(error)")
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

extension ExitCode {
  /// The name in `--json`.
  package var word: String {
    switch self {
    case .done: "done"
    case .differs: "differs"
    case .exclusionOrMoneyBroken: "broken"
    case .noProgress: "no-progress"
    case .crashedByItself: "crashed"
    case .paymentFailed: "payment-failed"
    case .gaveUp: "gave-up"
    case .tooSlow: "too-slow"
    case .notDone: "not-done"
    case .wrongUsage: "wrong-usage"
    case .daemonMissing: "not-running"
    case .bugOfOurs: "bug"
    case .cannotCreate: "cannot-create"
    case .inputOutputError: "input-output"
    case .badConfiguration: "bad-configuration"
    case .hungUp: "hung-up"
    case .interrupted: "interrupted"
    case .quitByKey: "quit"
    case .terminated: "terminated"
    }
  }

  /// The text in `baton help exit-codes`.
  package var meaning: String {
    switch self {
    case .done: "done; of a verdict: sound"
    case .differs: "the result differs from the expected one; of a check: problems by which nothing is lost"
    case .exclusionOrMoneyBroken:
      "broken: exclusive use of the node, money, the stored state, a secret, a notification; or a replay differs, or a process leaks"
    case .noProgress:
      "no progress: the app did not connect, or a payment, push or task never ended; nothing else is wrong"
    case .crashedByItself: "a process that Baton started crashed"
    case .paymentFailed: "a payment or a withdrawal failed, was not sent, or its outcome is lost"
    case .gaveUp: "stopped at a limit of states, time or memory; nothing broke until then"
    case .tooSlow:
      "timeout: an expected event did not happen in time; of a payment or a request: it is pending, or its outcome is unknown"
    case .notDone: "the phone or its peer refused the request: the error message says why"
    case .wrongUsage: "wrong usage: the error message says what to write"
    case .daemonMissing:
      "no phone is there, or iosd or lspd does not run, does not start, is stopped, or gives no answer"
    case .bugOfOurs: "a bug of Baton: please report the error message"
    case .cannotCreate: "a file or directory cannot be made, or a container cannot be opened"
    case .inputOutputError: "a file or the output cannot be read or written; or evidence is missing"
    case .badConfiguration: "a program, the seed or a settings file is missing or invalid"
    case .hungUp: "ended by SIGHUP: its terminal was closed"
    case .interrupted: "ended by SIGINT: ^C"
    case .quitByKey: "ended by SIGQUIT: ^\\"
    case .terminated: "ended by SIGTERM"
    }
  }
}
