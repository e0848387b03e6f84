import Terminal
import Ground
import DaemonRuntime
import Guardrails
import Reports

/// The way back when the peer knows another container: the user says that the wallet lives in this one from now on.
enum RestoreVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "restore",
      summary: "bring the wallet into this phone's container, in the place of the one that the peer knows",
      examples: [
        ("baton app open; baton restore", "when the app says that the node is in use by another device")
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let answer = try invocation.phone.askApp(ControlMessage("restore"), inFront: true)
    let epoch = try answer.integer("epoch", in: 1...Epoch.max)
    // A program of the user's own that does not say it was asked to move the wallet.
    let hasMoved = try answer.flag("moved", default: true)
    let sentence =
      hasMoved
      ? "the wallet is in this container, connected under epoch \(epoch); what the peer knew before is refused as another device"
      : "the wallet was in this container already and is connected under epoch \(epoch); nothing was changed"
    invocation.output.say(
      sentence, json: Document(state: hasMoved ? "restored" : "already-here", epoch: epoch))
    return .done
  }

  struct Document: Report {
    /// restored or already-here.
    var state: String
    var epoch: UInt64
  }
}
