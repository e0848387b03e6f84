/// What one event leads to: first all that must be durable, then all the rest in its order.
struct PeerStep {
  var changes: [LedgerChange] = []
  /// What is cut off before anything is sent.
  var evictions: [PeerDirective] = []
  var messages: [PeerDirective] = []
  /// Answers and calls that nobody may see before the ledger has their reason.
  var afterwards: [PeerDirective] = []

  var directives: [PeerDirective] {
    (changes.isEmpty ? [] : [.store(changes)]) + evictions + messages + afterwards
  }
}
