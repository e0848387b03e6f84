import CLinux
import DaemonRuntime
import Glibc

/// What tells a command to end before it is done: a key, another program, or the terminal that goes away.
package enum Interruption: Int32, CaseIterable, Sendable {
  case hungUp = 1
  case interrupted = 2
  case quitByKey = 3
  case terminated = 15

  package var exitCode: ExitCode {
    switch self {
    case .hungUp: .hungUp
    case .interrupted: .interrupted
    case .quitByKey: .quitByKey
    case .terminated: .terminated
    }
  }

  package var name: String {
    switch self {
    case .hungUp: "SIGHUP"
    case .interrupted: "SIGINT"
    case .quitByKey: "SIGQUIT"
    case .terminated: "SIGTERM"
    }
  }

  /// What the caller wants ignored stays so: `nohup` alone asks for it on purpose. A shell has its background jobs ignore
  /// SIGINT only so that a ^C for another one is not for them.
  static var heeded: [Interruption] {
    allCases.filter { $0 != .hungUp || baton_is_ignored($0.rawValue) == 0 }
  }
}
