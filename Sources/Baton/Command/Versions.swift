import DaemonRuntime
import PhonePolicy

/// `--version`: the version, and those of all that is stored and printed.
enum Versions {
  static func tell(_ output: Output) {
    let versions = Document()
    guard !output.isJSON else { return output.say(versions) }
    output.say("baton \(batonVersion)")
    output.say(
      "container \(versions.container), ledger \(versions.ledger), journal \(versions.journal), JSON \(versions.json)"
    )
  }

  /// The version of docs/json/v1.schema.json: raised when a member is removed or changes its meaning, not for a new member.
  static let jsonVersion = 1

  struct Document: Report {
    var version = batonVersion
    /// The version of all JSON documents.
    var json = jsonVersion
    /// The schema of the wallet's container, and that of lspd's ledger: docs/schema.
    var container = SchemaNumber.container
    var ledger = SchemaNumber.ledger
    /// The form of the journals' records.
    var journal = JournalForm.current
  }
}
