/// Why a task cannot be started or expired by hand.
public enum TaskByHandRefusal: Hashable, Codable, Sendable, CustomStringConvertible {
  case productionBuild
  case notWaiting
  case alreadyRuns
  case notRunning
  case appEnding

  public var description: String {
    switch self {
    case .productionBuild:
      "only a debug build starts or expires a task by hand, as Xcode does; start the phone with --build debug"
    case .notWaiting: "no such task waits; `baton tasks` shows those that do"
    case .alreadyRuns: "a task of that identifier runs already; ask again when it is done"
    case .notRunning: "no such task runs; `baton tasks` shows those that do"
    case .appEnding: "the app is on its way out; ask again when it has ended"
    }
  }
}
