import Ground

/// The push that the extension serves.
public struct PushService: Hashable, Codable, Sendable {
  public var push: PhonePush
  public var since: Instant
  /// The content handler was called: the push has its notification, whatever happens to the process.
  public var isDelivered = false
  public var isWarned = false

  init(push: PhonePush, since: Instant) {
    self.push = push
    self.since = since
  }
}

/// The extension's state.
public enum ExtensionState: Hashable, Codable, Sendable {
  /// → launching
  case notRunning
  /// → serving, ending, notRunning
  case launching
  /// → serving, suspended, ending, notRunning
  case idle(since: Instant)
  /// One push at a time; the next one waits until this one is finished. → idle, suspended, ending, notRunning
  case serving(PushService)
  /// Stopped after its content. → serving, ending, notRunning
  case suspended(since: Instant)
  /// Asked to end, or killed, perhaps in the middle of a push. → notRunning
  case ending(Ending, PushService?, killAt: Instant?)

  public var word: String {
    switch self {
    case .notRunning: "not running"
    case .launching: "launching"
    case .idle: "idle"
    case .suspended: "suspended"
    case .serving(let service): service.isDelivered ? "finishing" : "serving"
    case .ending: "expiring"
    }
  }

  /// The words of the states in which no push is served or about to be served.
  public static let restingWords = ["not running", "idle", "suspended"]

  /// The push that the process serves.
  public var current: PushService? {
    switch self {
    case .serving(let service): service
    case .ending(_, let service, _): service
    case .notRunning, .launching, .idle, .suspended: nil
    }
  }

  /// The same, if the phone has neither asked the process to end nor killed it.
  var unaskedCurrent: PushService? {
    switch self {
    case .serving(let service): service
    case .ending(.found, let service, _): service
    case .notRunning, .launching, .idle, .suspended, .ending: nil
    }
  }

  func deadline(_ configuration: PhoneConfiguration) -> Instant? {
    switch self {
    case .notRunning, .launching: nil
    case .idle(let since), .suspended(let since): since + configuration.extensionIdleTime
    case .serving(let service): configuration.enforcesLimits ? service.nextDeadline(configuration) : nil
    case .ending(_, _, let killAt): killAt
    }
  }
}

extension PushService {
  func warnAt(_ configuration: PhoneConfiguration) -> Instant {
    killAt(configuration) + TimeSpan(nanoseconds: -configuration.expiryNotice.nanoseconds)
  }

  func killAt(_ configuration: PhoneConfiguration) -> Instant { since + configuration.extensionTime }

  /// No warning after the delivery; the end of the time holds for all.
  func nextDeadline(_ configuration: PhoneConfiguration) -> Instant {
    isDelivered || isWarned ? killAt(configuration) : min(warnAt(configuration), killAt(configuration))
  }
}
