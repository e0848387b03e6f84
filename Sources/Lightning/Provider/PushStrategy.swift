/// Which pushes announce a payment.
public enum PushStrategy: String, Hashable, Codable, Sendable, CaseIterable {
  /// Phoenix's: one alert, whose extension receives the payment.
  case phoenix = "phoenix"
  /// Bitkit's: a silent one, which may wake the app, and an alert sealed to the wallet's push key; also for a payment
  /// that is not held.
  case bitkit = "bitkit"
}
