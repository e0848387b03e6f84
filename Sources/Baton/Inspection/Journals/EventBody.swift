import Ground

/// The two members of an event record that belong to its core.
package struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  package var event: Event
  package var directives: [Directive]

  package init?(_ line: JournalLine) {
    guard let body = try? JSONLineDecoder().decode(Self.self, from: line.value) else { return nil }
    self = body
  }
}
