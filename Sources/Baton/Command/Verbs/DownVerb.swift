import DaemonRuntime
import PhonePolicy

/// Stops the daemons of one phone.
enum DownVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "down", summary: "stop the phone and its Lightning peer",
    examples: [("baton down", "all data stays in the phone's directory")])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.presentPhone
    remarkOnStopped(phone, invocation.output)
    let ended = PhoneStopper(phone: phone).stop()
    let code = ended.contains { $0.pid == nil && !$0.isOfAnotherPhone } ? ExitCode.daemonMissing : .done
    if invocation.output.isJSON {
      invocation.output.say(Document(ended: ended))
      return code
    }
    if ended.isEmpty { invocation.output.say("the phone \(phone.home) is not up") }
    for end in ended { invocation.output.say(end.sentence) }
    return code
  }

  /// Each takes as long as iosd waits for a process before it kills it.
  private static func remarkOnStopped(_ phone: Phone, _ output: Output) {
    guard let iosd = DaemonProbe.pid(listeningOn: phone.iosdSocket), !ProcessTable.isStopped(iosd),
      let facts = try? phone.facts()
    else { return }
    for process in [facts.app, facts.extension] where process.state != "suspended" {
      guard let pid = process.pid, ProcessTable.isStopped(pid) else { continue }
      output.remark("process \(pid) of the wallet is stopped; iosd waits 5 s for its end and then kills it")
    }
  }

  struct Document: Report { var ended: [PhoneStopper.Ended] }
}
