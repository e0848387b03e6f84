/// Why a path cannot be listened on.
public enum UnixListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  case alreadyListening(path: String, pid: Int32?)
  case notASocket(String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .alreadyListening(let path, let pid):
      "\(path) is in use by \(pid.map { "process \($0)" } ?? "another process"); stop that one first"
    case .notASocket(let path): "\(path) is there and is no socket; move it away"
    case .system(let error): error.description
    }
  }
}
