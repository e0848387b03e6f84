import JSON

/// The two members of an event record that belong to its core.
package struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  package var event: Event
  package var directives: [Directive]

<<<<<<< HEAD
  package init?(_ line: JournalLine) {
    guard let body = try? JSONDecoder().decode(Self.self, from: Data(line.bytes)) else { return nil }
=======
  package init?(_ line: JournalLine) {
    guard let body = try? JSONLineDecoder().decode(Self.self, from: line.bytes) else { return nil }
>>>>>>> 90c3cb3758ea9eef63161506a67e5031ca513958
    self = body
  }
}
