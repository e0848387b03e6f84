/// Why a daemon could not be asked.
public enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
  case notRunning(daemon: String, path: String)
  /// Another user listens in its place; nil when the kernel does not say who.
  case foreign(daemon: String, path: String, user: UInt32?)
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
      "\(daemon) does not run (no program listens on \(path)); start it first"
    case .foreign(let daemon, let path, let user):
      "\(user.map { "the user \($0)" } ?? "another user") listens on \(path) in the place of your \(daemon), and was told nothing; use a phone of your own"
    case .timedOut(let path): "nothing came from \(path) in time; look at the journal of that daemon"
    case .hungUp(let path): "\(path) hung up without an answer; look at the journal of that daemon"
    case .refused(let sentence), .stopped(let sentence): sentence
    case .malformed(let error): error.description
    case .system(let error): error.description
    }
  }
}
