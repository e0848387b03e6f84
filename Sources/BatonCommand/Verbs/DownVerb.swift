import JSON
import DaemonRuntime

/// Stops the daemons of one phone.
enum DownVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "down", summary: "stop the phone and its Lightning peer",
      examples: [("baton down", "what was received stays in the phone's directory")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    let ended = PhoneStopper(phone: phone).stop()
    let code = ended.contains { $0.pid == nil } ? ExitCode.daemonMissing : .done
    if invocation.output.isJSON {
      let rows = ended.map { end in
        var object = JSONObject()
        object.set("daemon", end.daemon.rawValue)
        object.set("pid", ifPresent: end.pid)
        object.set("left_alone", end.pid == nil)
        object.set("how", end.how)
        object.set("killed", end.wasKilled)
        return object.text
      }
      invocation.output.say("{\"ended\":[\(rows.joined(separator: ","))]}")
      return code
    }
    if ended.isEmpty { invocation.output.say("the phone \(phone.home) is not up") }
    for end in ended { invocation.output.say(end.sentence) }
    return code
  }
}
