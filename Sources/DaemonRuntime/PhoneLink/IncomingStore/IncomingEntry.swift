import Platform
import Ground
import Guardrails

/// A stored record, with the time of its first push.
public struct IncomingEntry: Hashable, Sendable {
  public let record: IncomingRecord
  /// In seconds of the wall clock.
  public let arrivedAt: Int64

  public init(_ record: IncomingRecord, arrivedAt: Int64) {
    self.record = record
    self.arrivedAt = arrivedAt
  }

  /// Nil for a kind or state of a newer program: the other records are shown all the same.
  init?(_ row: Row) throws {
    guard let hash = Bytes32(try row.blob(0)) else { throw row.mismatch(0, "32 bytes") }
    guard let kind = Announcement.Kind(rawValue: try row.text(2)),
      let state = IncomingRecord.State(rawValue: try row.text(5))
    else { return nil }
    self.init(
      IncomingRecord(
        paymentHash: hash, amountMsat: try row.bits(1), kind: kind, isHeld: try row.integer(3) != 0,
        holdEndsAt: try row.optionalInteger(4), state: state), arrivedAt: try row.integer(6))
  }
}
