/// Why a daemon could not be asked.
public enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
  case notRunning(daemon: String, path: String)
  /// It is there, and does not go on: why, and what to do.
  case stopped(String)
  case timedOut(path: String)
  case hungUp(path: String)
  case refused(String)
  case malformed(ControlMessageError)
  case system(SystemError)

  public var description: String {
    switch self {
    case .notRunning(let daemon, let path):
      "\(daemon) does not run (nobody listens on \(path)); start it first"
    case .timedOut(let path): "nothing came from \(path) in time; look at the journal of that daemon"
    case .hungUp(let path): "\(path) hung up without an answer; look at the journal of that daemon"
    case .refused(let sentence), .stopped(let sentence): sentence
    case .malformed(let error): error.description
    case .system(let error): error.description
    }
  }
}
