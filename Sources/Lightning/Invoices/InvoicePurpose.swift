import Ground

/// The description of an invoice.
public enum InvoicePurpose: Hashable, Sendable {
  case text(String)
  /// The SHA-256 of a description that is not in the invoice.
  case hash(Bytes32)
}
