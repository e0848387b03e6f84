import Ground

/// The state of a payment for its sender. `held` and `offered` are pending, the others final.
public enum PaymentOutcome: Hashable, Codable, Sendable {
  case held
  case offered
  case settled(preimage: Bytes32)
  case failed(PaymentFailure)
}
