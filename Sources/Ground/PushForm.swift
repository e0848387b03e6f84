/// Which pushes announce a payment, and how they are written: the same for the peer that sends them and the wallet that
/// reads them.
public enum PushForm: String, Hashable, Codable, Sendable, CaseIterable {
  /// Phoenix's: one alert, with a reason and the payment's hash in clear, whose extension receives the payment.
  case phoenix
  /// Bitkit's: a silent one with the payment's hash in clear, which may wake the app, and an alert whose payload is sealed
  /// to the wallet's push key; also for a payment that is not held.
  case bitkit

  /// Each payment has a silent push and a sealed alert, as the user is to open the app for it.
  public var announces: Bool {
    switch self {
    case .phoenix: false
    case .bitkit: true
    }
  }
}

/// The app's result of a silent push: `UIBackgroundFetchResult`.
public enum SilentPushOutcome: String, Hashable, Codable, Sendable, CaseIterable {
  case newData = "new-data"
  case noData = "no-data"
  case failed
}
