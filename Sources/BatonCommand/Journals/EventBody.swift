import JSON

/// The two members of an event record that belong to its core.
struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  var event: Event
  var directives: [Directive]

  init?(_ line: JournalLine) {
    guard let body = try? JSONLineDecoder().decode(Self.self, from: line.bytes) else { return nil }
    self = body
  }
}
