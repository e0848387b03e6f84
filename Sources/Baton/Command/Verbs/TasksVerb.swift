import Ground
import DaemonRuntime
import PhonePolicy

/// The background tasks that the app has submitted.
enum TasksVerb: Verb {
  private static let identifier = PositionalDeclaration(
    "ID", value: .text("ID"), help: "the identifier, such as com.example.lightning.sync")

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "tasks", summary: "list the app's background tasks: waiting and why, running, ended",
      subcommands: [
        CommandLineDeclaration(
          name: "launch", summary: "launch a waiting task now, as Xcode can; debug builds only",
          positionals: [identifier],
          examples: [("baton tasks launch com.example.lightning.sync", "without waiting for its time")]),
        CommandLineDeclaration(
          name: "expire", summary: "expire a running task now; debug builds only",
          positionals: [identifier],
          examples: [("baton tasks expire com.example.lightning.sync", "check that the app ends it in time")]
        ),
      ],
      worksWithoutCommand: true,
      examples: [
        ("baton tasks", "all tasks, and why a task does not run yet"),
        ("baton tasks --json", "for a script"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    guard invocation.line.verbs.count > 1, let verb = invocation.line.verbs.last else {
      return try show(invocation)
    }
    let identifier = invocation.word()
    try invocation.phone.ask(.iosd, ControlMessage("task-\(verb)", ["identifier": identifier]))
    invocation.output.say(
      "the background task \(identifier) \(verb == "launch" ? "is launched" : "expires")",
      json: Document(did: verb, identifier: identifier))
    return .done
  }

  struct Document: Report {
    var did: String
    var identifier: String
  }

  private static func show(_ invocation: Invocation) throws -> ExitCode {
    let tasks = try invocation.phone.tasks()
    if invocation.output.isJSON {
      invocation.output.say(tasks)
    } else if tasks.isEmpty {
      invocation.output.say(
        "the app has submitted no background task yet; `baton app open` starts the app, which submits one")
    } else {
      let now = Clock.monotonicNow
      invocation.output.table(
        [["TASK", "KIND", "STATE", "ASKED", "RAN", "WHY"]] + tasks.map { $0.cells(now: now) })
    }
    return .done
  }
}
