import Ground

/// The user's copy of the database, and its restores.
struct WorldCopies: Hashable, Sendable {
  private(set) var kept: Boxed<Container>?
  /// How often a copy was restored.
  private(set) var restored: UInt64 = 0
  /// Received payments that the restored copies lack.
  private(set) var forgotten: [Bytes32] = []

  mutating func keep(_ container: Boxed<Container>) { kept = container }

  /// Notes the receipts that the copy lacks.
  mutating func noteRestored(_ copy: Container, inPlaceOf container: Container) {
    restored += 1
    for receipt in container.received where !copy.received.contains(receipt) {
      forgotten.append(receipt.invoice.paymentHash)
    }
  }

  mutating func seal() { kept?.seal() }
}
