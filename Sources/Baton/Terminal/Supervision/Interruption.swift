import CLinux
import DaemonRuntime
import Glibc

/// A signal that ends a command early: from a key, another program, or a closed terminal.
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

  /// An ignored SIGHUP stays ignored, as `nohup` asks for it. An ignored SIGINT does not: a shell sets that for
  /// background jobs, only so that ^C does not reach them.
  package static var handled: [Interruption] {
    allCases.filter { $0 != .hungUp || baton_is_ignored($0.rawValue) == 0 }
  }
}
