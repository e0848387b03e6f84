/// Why a listener cannot be created at a path.
public enum UnixListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  case alreadyListening(path: String, pid: Int32?)
  case notASocket(String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .alreadyListening(let path, let pid):
      "\(path) is in use by \(pid.map { "process \($0)" } ?? "another process"); stop that process first"
    case .notASocket(let path): "\(path) exists and is not a socket; move it away"
    case .system(let error): error.description
    }
  }
}
