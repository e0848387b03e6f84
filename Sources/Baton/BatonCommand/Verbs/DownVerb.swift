import PhoneClient
import Terminal
import DaemonRuntime
import Reports

/// Stops the daemons of one phone.
enum DownVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "down", summary: "stop the phone and its Lightning peer",
      examples: [("baton down", "all data stays in the phone's directory")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    let ended = PhoneStopper(phone: phone).stop()
    let code = ended.contains { $0.pid == nil && !$0.isOfAnotherPhone } ? ExitCode.daemonMissing : .done
    if invocation.output.isJSON {
      invocation.output.say(Document(ended: ended.map(Ended.init)))
      return code
    }
    if ended.isEmpty { invocation.output.say("the phone \(phone.home) is not up") }
    for end in ended { invocation.output.say(end.sentence) }
    return code
  }

  struct Document: Report { var ended: [Ended] }

  struct Ended: Report {
    var daemon: String
    var pid: Int32?
    /// Another program, or another phone's lspd, listens on its socket.
    var leftAlone: Bool
    var how: String
    var killed: Bool

    init(_ end: PhoneStopper.Ended) {
      daemon = end.daemon.rawValue
      pid = end.pid
      leftAlone = end.pid == nil
      how = end.how
      killed = end.wasKilled
    }
  }
}
