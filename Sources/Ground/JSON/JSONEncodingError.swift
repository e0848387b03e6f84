/// A value that cannot be encoded as JSON.
public enum JSONEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
  case notANumber(path: String)
  case refused(String)

  public var description: String {
    switch self {
    case .notANumber(let path):
      "\(path) is not a finite number, which JSON cannot represent; encode it as text"
    case .refused(let reason): "the value cannot be encoded: \(reason)"
    }
  }
}
