import Ground
import DaemonRuntime
import Guardrails
import PhonePolicy

/// Moves the wallet into this container when the peer knows another one.
enum RestoreVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "restore", summary: "move the wallet back to this phone, from the device that the peer knows",
    examples: [
      ("baton app open; baton restore", "when the app says that the node is in use by another device")
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let answer = try invocation.phone.askApp(ControlMessage("restore"), inFront: true)
    let epoch = try answer.integer("epoch", in: 1...Epoch.max)
    // An app of the user's own may omit `moved`: it was asked to move.
    let hasMoved = try answer.flag("moved", default: true)
    let sentence =
      hasMoved
      ? "the wallet is now in this container, connected under epoch \(epoch); the peer refuses the previous container as another device; the list of earlier payments stays there, and so do invoices made after the last payment, which can no longer be paid"
      : "the wallet was already in this container and is connected under epoch \(epoch); nothing was changed"
    return invocation.done(
      sentence, json: Document(state: hasMoved ? "restored" : "already-here", epoch: epoch))
  }

  struct Document: Report {
    /// restored or already-here.
    var state: String
    var epoch: UInt64
  }
}
