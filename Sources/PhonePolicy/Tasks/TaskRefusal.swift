/// Why a request is not taken.
public enum TaskRefusal: Hashable, Codable, Sendable, CustomStringConvertible {
  case notPermitted(permitted: [String])
  case tooMany(TaskKind)
  case refreshOff
  /// Its wait is no time.
  case badTime

  public var description: String {
    switch self {
    case .notPermitted(let permitted):
      "the identifier is not among those that the app may use (\(permitted.joined(separator: ", "))); add it with --permitted-task"
    case .tooMany(.refresh): "one refresh waits already, and only one may; cancel it first"
    case .tooMany(.processing): "ten processing tasks wait already, and no more may; cancel one first"
    case .refreshOff: "background app refresh is off; turn it on with `baton device background-refresh on`"
    case .badTime: "a task cannot wait for less than no time; give a number of seconds from 0 up"
    }
  }
}
