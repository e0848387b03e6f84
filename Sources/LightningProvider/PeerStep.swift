/// The directives of one event: first the durable changes, then the others in order.
struct PeerStep {
  var changes: [LedgerChange] = []
  /// Connections that are cut off before a message is sent.
  var evictions: [PeerDirective] = []
  var messages: [PeerDirective] = []
  /// Answers and push requests, after the changes that they report.
  var afterwards: [PeerDirective] = []

  /// The frame of the event changes nothing.
  mutating func ignore(_ connection: UInt64, _ why: String) {
    changes.append(.frameIgnored(connection: connection, why))
  }

  var directives: [PeerDirective] {
    (changes.isEmpty ? [] : [.store(changes)]) + evictions + messages + afterwards
  }
}
