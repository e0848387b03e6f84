import Lightning

extension FailureCode {
  /// Such as `incorrect_or_unknown_payment_details (0x400f)`.
  package var words: String { name.map { "\($0) (\(self))" } ?? "code \(self)" }
}
