/// One push, as it stands in os/pushes.jsonl; its number goes on over restarts, so that a number names one push of
/// the phone's whole life.
struct PushRow: Codable, Hashable {
  var id: UInt64
  var isVisible: Bool
  var hasMutableContent: Bool
  var wall: Int64
  var at: Int64

  enum CodingKeys: String, CodingKey {
    case id
    case isVisible = "visible"
    case hasMutableContent = "mutable_content"
    case wall = "wall_ns"
    case at = "at_ns"
  }
}
