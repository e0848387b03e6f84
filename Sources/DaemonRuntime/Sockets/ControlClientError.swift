import Glibc

/// Why a request to a daemon failed.
public enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
  case notRunning(daemon: String, path: String)
  /// Another user listens in its place; nil if the kernel does not report which.
  case foreign(daemon: String, path: String, user: UInt32?)
  /// The daemon's process is stopped; the sentence says why and what to do.
  case stopped(String)
  case timedOut(path: String)
  case hungUp(path: String)
  case refused(String)
  /// The request was passed on and not answered: it may be carried out, also later.
  case outcomeUnknown(String)
  case malformed(ControlMessageError)
  case system(SystemError)

  /// After a failed connect, by `errno`.
  init(connectTo daemon: String, path: String) {
    switch errno {
    case ENOENT, ECONNREFUSED, ENOTDIR: self = .notRunning(daemon: daemon, path: path)
    // Its queue of connections is full.
    case EAGAIN: self = .timedOut(path: path)
    default: self = .system(SystemError("connect to \(path)"))
    }
  }

  public var description: String {
    switch self {
    case .notRunning(let daemon, let path):
      "\(daemon) does not run (no program listens on \(path)); start it first"
    case .foreign(let daemon, let path, let user):
      "\(user.map { "the user \($0)" } ?? "another user") listens on \(path) in place of your \(daemon); nothing was sent to it; use a phone of your own"
    case .timedOut(let path): "the daemon at \(path) did not answer in time; look at its journal"
    case .hungUp(let path): "the daemon at \(path) disconnected without an answer; look at its journal"
    case .refused(let sentence), .stopped(let sentence), .outcomeUnknown(let sentence): sentence
    case .malformed(let error): error.description
    case .system(let error): error.description
    }
  }
}
