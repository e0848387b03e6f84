import DaemonRuntime

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
    case .problemsFound: "problems-found"
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

  /// The text in `baton help exit-codes`; docs/exit-codes.md has the same.
  package var meaning: String {
    switch self {
    case .done: "done; of a verdict: sound"
    case .differs: "something else came of it than was expected"
    case .exclusionOrMoneyBroken:
      "a promise broke: exclusion, money, a notification, or a replay that differs"
    case .noProgress: "no progress: something never came to its end, and nothing else is wrong"
    case .crashedByItself: "a process of the project crashed"
    case .paymentFailed: "a payment or a withdrawal failed, or was not sent"
    case .gaveUp: "it ended at a bound of states, time or memory before it had seen all; what it saw was good"
    case .tooSlow: "what was waited for did not come in its time"
    case .notDone: "the phone or its peer answered, and did not do it: the sentence says why"
    case .wrongUsage: "wrong usage: the sentence says what to write"
    case .problemsFound: "it was asked whether there are problems, and there are"
    case .daemonMissing: "iosd or lspd does not run, does not start, is stopped, or gives no answer"
    case .bugOfOurs: "a bug of Baton: please report the sentence"
    case .cannotCreate: "a file or directory cannot be made, or a container cannot be opened"
    case .inputOutputError: "something cannot be read or written, the output among it; evidence is missing"
    case .badConfiguration: "a program, the seed or a file of settings cannot be used"
    case .hungUp: "ended by SIGHUP: its terminal was closed"
    case .interrupted: "ended by SIGINT: ^C"
    case .quitByKey: "ended by SIGQUIT: ^\\"
    case .terminated: "ended by SIGTERM"
    }
  }
}
