import Ground

/// With which times the phones of many pushes are started.
enum PushTimers: String, CaseIterable {
  /// A beat every 2 s, frozen after 5 s, 30 s for a push.
  case real
  /// A fiftieth of each; the word that the time is over comes after half of it, as the extension waits 5 s for another
  /// payment by itself.
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
