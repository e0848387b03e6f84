/// A value that JSON has no word for.
public enum JSONEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
  case notANumber(path: String)
  case refused(String)

  public var description: String {
    switch self {
    case .notANumber(let path): "\(path) is not a finite number, which JSON cannot say; encode it as text"
    case .refused(let reason): "the value refused to be encoded: \(reason)"
    }
  }
}
