import Ground
import DaemonRuntime
import PhonePolicy

/// iosd's options for silent pushes.
enum SilentPushOptions {
  static let declarations: [OptionDeclaration] = [
    OptionDeclaration(
      "--silent-budget", value: .integer(0...1000), default: "3",
      help: "silent pushes per hour that wake the app in the background"),
    OptionDeclaration(
      "--silent-low-power", value: .choice(SilentPushRules.LowPower.allCases.map(\.rawValue)),
      default: "drop", help: "what happens to a silent push in Low Power Mode"),
    OptionDeclaration(
      "--silent-drop", value: .integer(0...100), default: "0",
      help: "percentage of silent pushes that are lost"),
    OptionDeclaration(
      "--silent-delay", value: .span, default: "0", help: "the largest random delay of a silent push"),
    OptionDeclaration(
      "--silent-seed", value: .integer(0...Int64.max), default: "1",
      help: "seed of the random drops and delays"),
    OptionDeclaration(
      "--silent-time", value: .span, default: "30s", help: "time for the app to handle a silent push"),
  ]

  static func rules(_ parsed: ParsedCommandLine) -> SilentPushRules {
    SilentPushRules(
      budget: Int(clamping: parsed.integer("--silent-budget") ?? 3),
      completionTime: parsed.span("--silent-time") ?? .seconds(30),
      lowPower: parsed.choice("--silent-low-power", as: SilentPushRules.LowPower.self) ?? .drop,
      dropPercent: UInt64(clamping: parsed.integer("--silent-drop") ?? 0),
      delayMax: parsed.span("--silent-delay") ?? .zero,
      seed: UInt64(clamping: parsed.integer("--silent-seed") ?? 1))
  }
}
