import Foundation

/// The two members of an event record that belong to its core.
package struct EventBody<Event: Decodable, Directive: Decodable>: Decodable {
  package var event: Event
  package var directives: [Directive]

  package init?(_ line: JournalLine) {
    guard let body = try? JSONDecoder().decode(Self.self, from: Data(line.bytes)) else { return nil }
    self = body
  }
}
