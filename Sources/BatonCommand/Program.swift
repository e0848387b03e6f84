import DaemonRuntime

/// Finds the verb that was typed, runs it, and turns whatever went wrong into one sentence and an exit code.
enum Program {
  static var verbs: [any Verb.Type] {
    [
      DemoVerb.self, UpVerb.self, DownVerb.self, PsVerb.self, LogsVerb.self, AppVerb.self, PushVerb.self,
      InvoiceVerb.self, PayVerb.self, SendVerb.self, WithdrawVerb.self, RestoreVerb.self, DeviceVerb.self,
      NotificationsVerb.self, TasksVerb.self,
      PushesVerb.self, PaymentsVerb.self,
      StatusVerb.self,
      InspectVerb.self,
      JudgeVerb.self, ReplayVerb.self, RunVerb.self, SimVerb.self, MergeVerb.self, ExploreVerb.self,
      AblationVerb.self,
      SoakVerb.self,
      CompletionVerb.self,
    ]
  }

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "baton", summary: "one Lightning node, two processes, one baton",
      options: [
        OptionDeclaration(
          "--home", value: .path("DIR"), help: "the phone: BATON_HOME, or ./.baton, when it is not given"),
        OptionDeclaration("--json", help: "write JSON instead of text for people"),
      ],
      subcommands: verbs.map { $0.declaration })
  }

  static func run(_ arguments: [String]) -> ExitCode {
    if arguments.isEmpty {
      writeAll(standardError, Array(Welcome.text.utf8))
      return .wrongUsage
    }
    if asksForWelcome(arguments) {
      writeAll(standardOutput, Array(Welcome.text.utf8))
      return .done
    }
    let line = declaration.parseOrExit(arguments)
    guard let verb = verbs.first(where: { $0.declaration.name == line.verbs.first }) else {
      return .wrongUsage
    }
    do {
      return try verb.run(Invocation(line: line))
    } catch {
      let failure = CommandFailure(error)
      exitWithSentence(failure.code, failure.sentence)
    }
  }

  private static func asksForWelcome(_ words: [String]) -> Bool {
    let names = Set(verbs.map { $0.declaration.name })
    let asksForHelp = words.contains { $0 == "-h" || $0 == "--help" } || words == ["help"]
    return asksForHelp && !words.contains { names.contains($0) }
  }
}
