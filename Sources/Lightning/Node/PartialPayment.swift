import CoreShape
import Crypto

/// A payment of which some parts have come and others have not. The parts are durable; how long they wait is counted by
/// whoever holds them, anew on each connection: what was missing may have had no way to come before.
struct PartialPayment: Hashable, Codable, Sendable {
  var paymentHash: Bytes32
  var endsAt: Instant
}

extension PartialPayment: Shiftable {
  mutating func shift(by span: Span) { endsAt.shift(by: span) }
}
