import Ground

/// A copy of the database that somebody made, and what became of it.
struct WorldCopies: Hashable, Sendable {
  private(set) var kept: Boxed<Container>?
  /// How often one was put back.
  private(set) var restored: UInt64 = 0
  /// Payments that were received and that a restored copy does not know.
  private(set) var forgotten: [Bytes32] = []

  mutating func keep(_ container: Boxed<Container>) { kept = container }

  /// What was received since then is not in it any more.
  mutating func noteRestored(_ copy: Container, inPlaceOf container: Container) {
    restored += 1
    for receipt in container.received where !copy.received.contains(receipt) {
      forgotten.append(receipt.invoice.paymentHash)
    }
  }

  mutating func seal() { kept?.seal() }
}
