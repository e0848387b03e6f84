import DaemonRuntime
import PhonePolicy

/// `--version`: the version, and those of all that is stored and printed.
struct Versions: Report {
  /// The version of docs/json/v1.schema.json: raised when a member is removed or changes its meaning, not for a new member.
  static let jsonVersion = 1

  var version = batonVersion
  /// The version of all JSON documents.
  var json = jsonVersion
  /// The schema of the wallet's container, and that of lspd's ledger: docs/schema.
  var container = SchemaNumber.container
  var ledger = SchemaNumber.ledger
  /// The form of the journals' records.
  var journal = JournalForm.current

  func tell(_ output: Output) {
    guard !output.isJSON else { return output.say(self) }
    output.say("baton \(version)")
    output.say("container \(container), ledger \(ledger), journal \(journal), JSON \(json)")
  }
}
