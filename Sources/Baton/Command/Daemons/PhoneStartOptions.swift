import DaemonRuntime

/// Options of `up` and `demo` that are passed to iosd unchanged, about silent pushes.
enum PhoneStartOptions {
  static let silentPushes: [OptionDeclaration] = [
    OptionDeclaration(
      "--silent-budget", value: .integer(0...1000),
      help: "silent pushes per hour that wake the app in the background (default 3)"),
    OptionDeclaration(
      "--silent-low-power", value: .choice(["drop", "hold"]),
      help: "what happens to a silent push in Low Power Mode (default drop)"),
    OptionDeclaration(
      "--silent-drop", value: .integer(0...100),
      help: "percentage of silent pushes that are lost (default 0)"),
    OptionDeclaration(
      "--silent-delay", value: .span, help: "the largest random delay of a silent push (default 0)"),
    OptionDeclaration(
      "--silent-seed", value: .integer(0...Int64.max), help: "seed of the random drops and delays (default 1)"
    ),
    OptionDeclaration(
      "--silent-time", value: .span, help: "time for the app to handle a silent push (default 30s)"),
  ]
}
