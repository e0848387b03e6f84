import Ground

/// What becomes of it. `held` and `offered` are on the way, the others are the end.
public enum PaymentOutcome: Hashable, Codable, Sendable {
  case held
  case offered
  case settled(preimage: Bytes32)
  case failed(PaymentFailure)
}
