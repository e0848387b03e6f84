/// The direction of an HTLC, seen from this side.
public enum HTLCDirection: UInt8, Hashable, Codable, Sendable, CaseIterable {
  case offered = 0
  case received = 1
}
