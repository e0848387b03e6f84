import DaemonRuntime

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
