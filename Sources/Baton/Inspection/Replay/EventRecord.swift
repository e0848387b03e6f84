import Ground

/// An event record of one core, member for member as a journal has it: encoded again, it must be the same bytes.
struct EventRecord<C: Core>: Codable {
  var seq: UInt64
  var t: Instant
  var wall: Int64
  var kind: String
  var lostBefore: UInt64?
  var core: String
  var event: C.Event
  var directives: [C.Directive]

  enum CodingKeys: String, CodingKey {
    case seq, t, wall, kind
    case lostBefore = "lost_before"
    case core, event, directives
  }
}
