import DaemonRuntime
import Guardrails

/// The way back when the peer knows another container: the person says that the wallet lives in this one from now on.
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
    let answer = try invocation.phone.ask(.iosd, ControlMessage("restore"))
    let epoch = try answer.integer("epoch", in: 1...Epoch.max)
    invocation.output.say(
      "the wallet is in this container, connected under epoch \(epoch); what the peer knew before is refused as another device",
      json: json(epoch))
    return .done
  }

  private static func json(_ epoch: Epoch) -> JSONObject {
    var object = JSONObject()
    object.set("state", "restored")
    object.set("epoch", epoch)
    return object
  }
}
