import Ground

/// The record with which a core begins.
struct CoreRecord<C: Core>: Codable {
  var seq: UInt64
  var t: Instant
  var wall: Int64
  var kind: String
  var lostBefore: UInt64?
  var core: String
  var configuration: C.Configuration

  enum CodingKeys: String, CodingKey {
    case seq, t, wall, kind
    case lostBefore = "lost_before"
    case core, configuration
  }
}
