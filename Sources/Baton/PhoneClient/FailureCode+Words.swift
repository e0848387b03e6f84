import LightningWire

extension FailureCode {
  /// `incorrect_or_unknown_payment_details (0x400f)`, wherever a user reads how a payment failed.
  package var words: String { name.map { "\($0) (\(self))" } ?? "code \(self)" }
}
