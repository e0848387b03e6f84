import Ground
import Guardrails

// The store of incoming records, as a value.
extension Container {
  /// Once for each payment: a second announcement changes what is known of it, not its place.
  mutating func add(_ record: IncomingRecord) {
    guard let index = incoming.firstIndex(where: { $0.paymentHash == record.paymentHash }) else {
      return incoming.append(record)
    }
    incoming[index] = record
  }

  mutating func removeIncoming(_ hashes: [Bytes32]) {
    incoming.removeAll { hashes.contains($0.paymentHash) }
  }
}
