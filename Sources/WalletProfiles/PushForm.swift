/// How a wallet's servers write its pushes.
public enum PushForm: String, Hashable, Codable, Sendable, CaseIterable {
  /// A reason, and the payment's hash in clear.
  case phoenix
  /// A silent push with the payment's hash in clear, and a visible one whose payload is sealed.
  case bitkit
}
