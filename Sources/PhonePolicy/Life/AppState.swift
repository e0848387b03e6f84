import Ground

/// The app's state.
public enum AppState: Hashable, Codable, Sendable {
  /// → launching
  case notRunning
  /// → foreground, background, terminating, notRunning
  case launching(intoForeground: Bool)
  /// → background, terminating, notRunning
  case foreground
  /// → foreground, suspended, terminating, notRunning
  case background(BackgroundStay)
  /// Stopped, without network connections. → foreground, background, terminating, notRunning
  case suspended
  /// Asked to end, or killed. → notRunning, launching
  case terminating(Ending, killAt: Instant?)

  public var word: String { stage == .notRunning ? "not running" : "\(stage)" }

  public var isUsable: Bool {
    switch self {
    case .foreground, .background: true
    case .notRunning, .launching, .suspended, .terminating: false
    }
  }

  /// A process exists whose messages may still arrive.
  var hasProcess: Bool {
    switch self {
    case .foreground, .background, .suspended, .terminating: true
    case .notRunning, .launching: false
    }
  }
}
