/// Why a task request is refused.
public enum TaskRefusal: Hashable, Codable, Sendable, CustomStringConvertible {
  case notPermitted(permitted: [String])
  case tooMany(TaskKind)
  case refreshOff
  /// `earliestBeginDate` is negative.
  case badTime

  public var description: String {
    switch self {
    case .notPermitted(let permitted):
      "the identifier is not among those that the app may use (\(permitted.joined(separator: ", "))); permit it with --permitted-task"
    case .tooMany(.refresh): "a refresh is already pending, and only one may be; cancel it first"
    case .tooMany(.processing): "ten processing tasks are already pending, the maximum; cancel one first"
    case .refreshOff: "background app refresh is off; turn it on with `baton device background-refresh on`"
    case .badTime: "the earliest begin must be 0 s or later; give a number of seconds from 0 up"
    }
  }
}
