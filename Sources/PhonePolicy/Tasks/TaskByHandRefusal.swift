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
    case .notWaiting: "no such task is pending; `baton tasks` lists the pending ones"
    case .alreadyRuns: "a task with that identifier is already running; try again when it is done"
    case .notRunning: "no such task is running; `baton tasks` lists the running ones"
    case .appEnding: "the app is terminating, or the phone is powering off or rebooting; try again later"
    }
  }
}
