import DaemonRuntime
import PhonePolicy

/// Options of `baton up` that are passed to iosd, about background work.
enum BackgroundStartOptions {
  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--after-content", value: .choice(AfterContent.allCases.map(\.rawValue)),
      help:
        "what iosd does with an extension that has delivered its content: run (let it finish), suspend or kill (default suspend)"
    ),
    OptionDeclaration(
      "--extension-reuse", value: .choice(["yes", "no"]),
      help: "whether the next push resumes a suspended extension, or starts another process (default yes)"),
    OptionDeclaration(
      "--extension-start-time", value: .span,
      help: "how long the extension may take from its launch to hello (default 10s)"),
    OptionDeclaration(
      "--activity-time", value: .span,
      help: "how long an expiring activity keeps a process from being suspended (default 10s)"),
    OptionDeclaration(
      "--suspended-with-lock", value: .choice(["kill", "spare"]),
      help: "what happens to a process that is suspended with a lock in the container (default kill)"),
    OptionDeclaration(
      "--suspend-after", value: .span,
      help: "time in the background until the app is suspended (default 5s)"),
    OptionDeclaration(
      "--callback-time", value: .span, help: "time for the app to finish entering the background (default 5s)"
    ),
    OptionDeclaration(
      "--background-time", value: .span,
      help: "how long `beginBackgroundTask` keeps the app awake (default 180s)"),
    OptionDeclaration(
      "--background-grace", value: .span,
      help: "time from the expiry of `beginBackgroundTask` until the app is killed (default 5s)"),
    OptionDeclaration(
      "--time-scale", value: .integer(1...1_000_000),
      help: "divide the times until background work may start by N (default 1), not its time limits"),
    OptionDeclaration(
      "--permitted-task", value: .text("ID"), mayRepeat: true,
      help: "an identifier of background tasks that the app declares (default: the wallet's)"),
    OptionDeclaration(
      "--background-mode", value: .choice(["audio"]),
      help: "a background mode that the app declares (default none)"),
    OptionDeclaration(
      "--keep-alive-audio", help: "the app plays inaudible audio to stay awake (default off)"),
    OptionDeclaration(
      "--clean-journals", help: "the app submits a processing task that removes journals older than a week"),
  ]

  static func iosdArguments(_ line: ParsedCommandLine) -> [String] {
    var arguments: [String] = []
    for declaration in declarations {
      let name = declaration.names[0]
      guard line.isGiven(name) else { continue }
      if case .none = declaration.value {
        arguments.append(name)
      } else {
        arguments += line.all(name).flatMap { [name, $0] }
      }
    }
    return arguments
  }
}
