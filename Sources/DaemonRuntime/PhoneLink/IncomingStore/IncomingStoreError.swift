import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why the store gave no answer.
public enum IncomingStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process is in a transaction: not a fault, try again.
  case busy
  /// One sentence for users.
  case failed(String)

  init(_ error: OwnError) {
    let why: String
    if case .failed(let code) = error.fault {
      why = "\(String(cString: strerror(code))); check its directory"
    } else {
      why = error.fault.sentence ?? "it cannot be opened"
    }
    self = .failed("cannot use \(error.path): \(why)")
  }

  public var description: String {
    switch self {
    case .busy: "another process is in a transaction of the announced payments; try again in a moment"
    case .failed(let sentence): sentence
    }
  }
}
