import Ground

/// The timers of the phones in a soak with many phones.
enum PushTimers: String, CaseIterable {
  /// A beat every 2 s, frozen after 5 s, 30 s for a push.
  case real
  /// A fiftieth of each. `serviceExtensionTimeWillExpire` comes after half the time, as the extension still waits 5 s
  /// for another payment.
  case scaled

  var extensionTime: TimeSpan { self == .real ? .seconds(30) : .milliseconds(600) }

  var arguments: [String] {
    switch self {
    case .real: []
    case .scaled:
      ["--beat-interval", "40ms", "--stale-after", "100ms", "--extension-time", "600ms"]
        + ["--expiry-notice", "300ms"]
    }
  }
}
