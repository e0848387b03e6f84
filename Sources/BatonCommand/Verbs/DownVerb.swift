import DaemonRuntime

/// Stops the daemons of one phone.
enum DownVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "down", summary: "stop the phone and its Lightning peer",
      examples: [("baton down", "what was received stays in the phone's directory")])
  }

  static func run(_ invocation: Invocation) -> ExitCode {
    let phone = invocation.phone
    let ended = PhoneStopper(phone: phone).stop()
    if invocation.output.isJSON {
      let rows = ended.map { end in
        var object = JSONObject()
        object.set("daemon", end.daemon.rawValue)
        object.set("pid", end.pid)
        object.set("how", end.how)
        object.set("killed", end.wasKilled)
        return object.text
      }
      invocation.output.say("{\"ended\":[\(rows.joined(separator: ","))]}")
      return .done
    }
    if ended.isEmpty { invocation.output.say("the phone \(phone.home) is not up") }
    for end in ended { invocation.output.say("\(end.daemon.rawValue) \(end.pid) \(end.how)") }
    return .done
  }
}
