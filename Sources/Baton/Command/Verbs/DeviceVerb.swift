import Ground
import DaemonRuntime
import PhonePolicy

/// Shows or changes the phone's settings, clock and boot.
enum DeviceVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "device", summary: "show or change the phone's settings",
    subcommands: [clock, reboot] + DeviceSwitch.all.map(\.declaration), worksWithoutCommand: true,
    examples: [
      ("baton device", "the settings now"),
      ("baton device reboot", "app and extension are killed, and the screen is locked"),
      ("baton device low-power on", "no background task starts, and silent pushes are dropped"),
    ])

  private static let clock = CommandLineDeclaration(
    name: "clock", summary: "set the phone's wall clock forward or back",
    positionals: [
      PositionalDeclaration(
        "STEP", value: .text("STEP"),
        help: "a time in whole seconds, forward such as +1h, or back such as -90s")
    ],
    examples: [("baton device clock -1h", "an hour back; the node keeps its holder")])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    guard invocation.line.verbs.count > 1, let name = invocation.line.verbs.last else {
      return try show(invocation)
    }
    switch name {
    case "clock": return try setClock(invocation)
    case "reboot": return try reboot(invocation)
    default: return try set(name, invocation)
    }
  }

  // MARK: Switches

  private static func show(_ invocation: Invocation) throws -> ExitCode {
    try invocation.phone.ask(.iosd, ControlMessage("device"), for: DeviceState.self).tell(invocation.output)
    return .done
  }

  private static func set(_ name: String, _ invocation: Invocation) throws -> ExitCode {
    guard let thing = DeviceSwitch.all.first(where: { $0.name == name }) else { return try show(invocation) }
    let word = invocation.word()
    let request = ControlMessage("device", [thing.field: thing.value(of: word)])
    let state = try invocation.phone.ask(.iosd, request, for: DeviceState.self)
    if invocation.output.isJSON {
      state.tell(invocation.output)
    } else {
      invocation.output.say(thing.sentence(for: word))
    }
    return .done
  }

  // MARK: Reboot

  private static let reboot = CommandLineDeclaration(
    name: "reboot", summary: "reboot the phone: app and extension are killed, and the screen is locked",
    options: [
      OptionDeclaration(
        "--lose-beats", help: "empty the heartbeat file, as in a power loss: the file is never synced"),
      OptionDeclaration("--unlock", help: "unlock the phone after the reboot"),
    ],
    examples: [("baton device reboot --lose-beats", "as after a power loss")])

  private static func reboot(_ invocation: Invocation) throws -> ExitCode {
    let loses = invocation.line.isGiven("--lose-beats")
    let unlocks = invocation.line.isGiven("--unlock")
    let answer = try invocation.phone.ask(
      .iosd, ControlMessage("reboot", ["lose-beats": loses ? "yes" : "no", "unlock": unlocks ? "yes" : "no"]))
    return invocation.done(
      unlocks
        ? "the phone has rebooted, and is unlocked"
        : "the phone has rebooted; it is locked, not yet unlocked since boot",
      json: Reboot(boot: answer["boot"]))
  }

  // MARK: The clock

  private static func setClock(_ invocation: Invocation) throws -> ExitCode {
    let seconds = try stepSeconds(invocation.word())
    let answer = try invocation.phone.ask(.iosd, ControlMessage("clock", ["step-seconds": "\(seconds)"]))
    let wall = answer["wall-ns"].flatMap { Int64($0) }
    return invocation.done(
      "the phone's clock was set \(seconds < 0 ? "back" : "forward") by \(SpanText.write(.seconds(Int64(clamping: seconds.magnitude))))\(wall.map { " to \(WallClockText.write($0))" } ?? "")",
      json: ClockStep(stepSeconds: seconds, wallNs: wall))
  }

  static func stepSeconds(_ word: String) throws(CommandFailure) -> Int64 {
    let digits = word.drop { $0 == "+" || $0 == "-" }
    guard word.count - digits.count <= 1, let span = SpanText.parse(String(digits)),
      span.nanoseconds % 1_000_000_000 == 0, span <= .seconds(315_360_000)
    else {
      throw CommandFailure(
        .wrongUsage, "STEP must be a time in whole seconds such as +1h or -90s, not `\(word.onOneLine)`")
    }
    let seconds = span.nanoseconds / 1_000_000_000
    return word.hasPrefix("-") ? -seconds : seconds
  }

  struct Reboot: Report { var boot: String? }

  struct ClockStep: Report {
    var stepSeconds: Int64
    /// The phone's wall clock after the step.
    var wallNs: Int64?
  }
}
