import CoreShape

/// Where the app is.
public enum AppState: Hashable, Codable, Sendable {
  /// → launching
  case notRunning
  /// → foreground, background, terminating, notRunning
  case launching(intoForeground: Bool)
  /// → background, terminating, notRunning
  case foreground
  /// → foreground, terminating, notRunning
  case background(isDone: Bool)
  /// Asked to end, or killed. → notRunning, launching
  case terminating(Ending, killAt: Instant?)

  public var word: String {
    switch self {
    case .notRunning: "not running"
    case .launching: "launching"
    case .foreground: "foreground"
    case .background: "background"
    case .terminating: "terminating"
    }
  }

  public var isUsable: Bool {
    switch self {
    case .foreground, .background: true
    case .notRunning, .launching, .terminating: false
    }
  }

  var deadline: Instant? { if case .terminating(_, let killAt) = self { killAt } else { nil } }
}
