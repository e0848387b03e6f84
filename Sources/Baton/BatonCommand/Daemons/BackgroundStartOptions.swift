import DaemonRuntime

/// What `baton up` passes on to iosd about work in the background.
enum BackgroundStartOptions {
  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--suspend-after", value: .span,
      help: "how long the app is in the background before it is suspended (default 5s)"),
    OptionDeclaration(
      "--callback-time", value: .span, help: "what the app has to finish going there (default 5s)"),
    OptionDeclaration(
      "--background-time", value: .span,
      help: "how long its own tasks keep the app awake in the background (default 180s)"),
    OptionDeclaration(
      "--background-grace", value: .span, help: "from the end of that time to killing the app (default 5s)"),
    OptionDeclaration(
      "--time-scale", value: .integer(1...1_000_000),
      help: "what an hour of the background scheduler is divided by (default 1); 60 makes minutes of hours"),
    OptionDeclaration(
      "--permitted-task", value: .text("ID"), mayRepeat: true,
      help: "an identifier that the app may use for a background task (default those of the wallet)"),
    OptionDeclaration(
      "--background-mode", value: .choice(["audio"]),
      help: "a background mode that the app has declared (default none)"),
    OptionDeclaration(
      "--keep-alive-audio", help: "the app plays inaudible audio to stay awake (default off)"),
    OptionDeclaration(
      "--clean-journals", help: "the app asks for a task that removes journals older than a week"),
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
