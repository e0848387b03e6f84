import Ground

/// What an invoice is for.
public enum InvoicePurpose: Hashable, Sendable {
  case text(String)
  /// The text is somewhere else, and this is its SHA-256.
  case hash(Bytes32)
}
