import DaemonRuntime
import Ground
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
    return invocation.done(thing.sentence(for: word), json: state)
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

/// A setting of the phone that one word changes.
struct DeviceSwitch {
  /// The name on the command line, and iosd's name of the field.
  let name: String
  let field: String
  private let summary: String
  /// The words for no and yes; empty for a setting without a word.
  private let words: [String]
  private let isTrue: Bool
  private let sentences: (no: String, yes: String)

  private init(
    _ name: String, field: String? = nil, _ summary: String, words: [String] = ["off", "on"],
    isTrue: Bool = true, no: String, yes: String
  ) {
    self.name = name
    self.field = field ?? name
    self.summary = summary
    self.words = words
    self.isTrue = isTrue
    sentences = (no, yes)
  }

  static let all: [DeviceSwitch] = [
    DeviceSwitch(
      "lock", field: "locked", "lock the screen; an app in front goes to the background", words: [],
      no: "", yes: "the phone is locked"),
    DeviceSwitch(
      "unlock", field: "locked", "unlock the screen; the app that was in front is in front again",
      words: [],
      isTrue: false, no: "the phone is unlocked", yes: ""),
    DeviceSwitch(
      "low-power", "Low Power Mode", no: "Low Power Mode is off", yes: "Low Power Mode is on"),
    DeviceSwitch(
      "background-refresh", "Background App Refresh for the wallet",
      no: "Background App Refresh is off", yes: "Background App Refresh is on"),
    DeviceSwitch(
      "notifications", "whether the wallet may show notifications",
      no: "the wallet may show no notifications", yes: "the wallet may show notifications"),
    DeviceSwitch(
      "lock-screen", "whether the wallet's alerts appear on the lock screen",
      no: "the lock screen shows no alerts of the wallet", yes: "the lock screen shows the wallet's alerts"),
    DeviceSwitch(
      "centre", "whether the wallet's alerts appear in the Notification Centre",
      no: "the Notification Centre shows no alerts of the wallet",
      yes: "the Notification Centre shows the wallet's alerts"),
    DeviceSwitch(
      "banners", "whether the wallet's alerts appear as banners",
      no: "no alert of the wallet appears as a banner", yes: "the wallet's alerts appear as banners"),
    DeviceSwitch("focus", "a Focus, such as Do Not Disturb", no: "no Focus is on", yes: "a Focus is on"),
    DeviceSwitch(
      "battery", "the battery's charge in percent", words: ["N"], no: "",
      yes: ""),
    DeviceSwitch(
      "charger", "whether the charger is plugged in", no: "the charger is unplugged",
      yes: "the charger is plugged in"),
    DeviceSwitch(
      "network", "whether the phone has a network", no: "the network is gone", yes: "the network is there"),
    DeviceSwitch(
      "storage", field: "storage-full", "whether the phone's storage is full", words: ["free", "full"],
      no: "there is room in the storage", yes: "the storage is full: writes that need more room fail"),
    DeviceSwitch(
      "audio", "whether another app plays audio", no: "no other app plays audio",
      yes: "another app plays audio"),
  ]

  var declaration: CommandLineDeclaration {
    let positionals: [PositionalDeclaration]
    switch words.count {
    case 0: positionals = []
    case 1: positionals = [PositionalDeclaration("N", value: .integer(0...100), help: summary)]
    default:
      positionals = [
        PositionalDeclaration(
          words.reversed().joined(separator: "|"), value: .choice(words.reversed()), help: summary)
      ]
    }
    return CommandLineDeclaration(name: name, summary: summary, positionals: positionals)
  }

  func value(of word: String) -> String {
    switch words.count {
    case 0: isTrue ? "yes" : "no"
    case 1: word
    default: word == words[1] ? "yes" : "no"
    }
  }

  func sentence(for word: String) -> String {
    words.count == 1 ? "the battery is at \(word) %" : value(of: word) == "yes" ? sentences.yes : sentences.no
  }
}

/// The phone's settings, as iosd reports them.
extension DeviceState {
  func tell(_ output: Output) { output.isJSON ? output.say(self) : output.facts(rows) }

  private var rows: [(String, String)] {
    let lock =
      !isLocked ? "unlocked" : hasBeenUnlocked ? "locked" : "locked, not yet unlocked since boot"
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word(isInLowPowerMode)),
      ("background-refresh", word(allowsBackgroundRefresh)),
      ("notifications", allowsNotifications ? "allowed" : "not allowed"),
      ("lock-screen", word(showsOnLockScreen)),
      ("centre", word(showsInCentre)),
      ("banners", word(showsBanners)),
      ("focus", word(hasFocus)),
      ("battery", "\(batteryPercent) %\(isCharging ? ", charging" : "")"),
      ("network", word(hasNetwork)),
      ("storage", isStorageFull ? "full" : "free"),
      ("audio", playsOtherAudio ? "another app plays" : "no other app plays"),
    ]
  }
}
