import Ground

/// The timers of the phones in a soak with many phones.
enum PushTimers: String, CaseIterable {
  /// A beat every 2 s, frozen after 5 s, 30 s for a push.
  case real
  /// A fiftieth of each. `serviceExtensionTimeWillExpire` comes after half the time, as the extension still waits 5 s
  /// for another payment.
  case scaled

  var extensionTime: TimeSpan { self == .real ? .seconds(30) : .milliseconds(600) }

  /// When an extension that has received its payment stops waiting for another one, and releases and delivers.
  private var deliveryMilliseconds: Int { self == .real ? 5000 : 300 }

  /// From the first look at a working extension to the strike: half of the strikes hit the start, the claim and the
  /// payment, the others the release and the delivery. The push's number is the seed.
  func strikeDelay(ofPush number: Int) -> TimeSpan {
    var chance = SeededGenerator(seed: UInt64(number))
    let start = chance.below(2) == 0 ? 0 : deliveryMilliseconds - 40
    return .milliseconds(Int64(start + chance.below(80)))
  }

  var arguments: [String] {
    switch self {
    case .real: []
    case .scaled:
      ["--beat-interval", "40ms", "--stale-after", "100ms", "--extension-time", "600ms"]
        + ["--expiry-notice", "300ms"]
    }
  }
}
