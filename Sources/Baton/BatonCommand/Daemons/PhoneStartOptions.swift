import DaemonRuntime

/// Options of `up` and `demo` that are passed to iosd unchanged, about silent pushes.
enum PhoneStartOptions {
  static let silentPushes: [OptionDeclaration] = [
    OptionDeclaration(
      "--silent-budget", value: .integer(0...1000),
      help: "silent pushes per hour that wake the app in the background (default 3)"),
    OptionDeclaration(
      "--silent-low-power", value: .choice(["drop", "hold"]),
      help: "what iosd does with a silent push in Low Power Mode (default drop)"),
    OptionDeclaration(
      "--silent-drop", value: .integer(0...100),
      help: "percentage of silent pushes that are lost (default 0)"),
    OptionDeclaration(
      "--silent-delay", value: .span, help: "delay each silent push by a random time up to this (default 0)"),
    OptionDeclaration(
      "--silent-seed", value: .integer(0...Int64.max), help: "seed of these losses and delays (default 1)"),
    OptionDeclaration(
      "--silent-time", value: .span, help: "time for the app to handle a silent push (default 30s)"),
  ]
}
