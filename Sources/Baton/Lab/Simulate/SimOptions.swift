import Ground
import PhonePolicy
import DaemonRuntime
import Museum
import Simulation
import Guardrails

/// The options of a run for `sim` and `replay --seed`.
package struct SimOptions: Sendable {
  private var length = TimeSpan.seconds(600)
  private var isLegacy = false
  private var coordination = Coordination.baton
  private var wallet = WalletProfile.phoenix
  private var without: [Rule] = []
  private var afterContent: AfterContent?

  package static var declarations: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--length", value: .span, default: "10m",
        help: "the simulated time with user actions and faults in each run"),
      coordinationDeclaration, WalletOption.declaration,
      SettingsTable["--after-content"].defaulting("the seed decides"),
    ] + worldDeclarations
  }

  static var coordinationDeclaration: OptionDeclaration {
    OptionDeclaration(
      "--as", value: .choice(Coordination.allCases.map(\.rawValue)), default: Coordination.baton.rawValue,
      help:
        "the coordination of the two processes: Baton's, or another product's with a peer that knows no epochs"
    )
  }

  /// Options of a simulated or explored world.
  package static var worldDeclarations: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--peer", value: .choice(["fencing", "legacy"]), default: "fencing",
        help: "a peer that knows epochs, or one for which the newest connection wins"),
      OptionDeclaration(
        "--without", value: .list("RULES", of: Rule.allCases.map(\.rawValue)),
        help:
          "remove rules, separated by commas: \(Rule.allCases.map(\.rawValue).joined(separator: ", "))"
      ),
    ]
  }

  package init(_ line: ParsedCommandLine) throws {
    if let length = line.span("--length") { self.length = length }
    guard length > .zero, length <= .seconds(86_400) else {
      throw CommandFailure(.wrongUsage, "--length must be above 0 and at most 24h")
    }
    isLegacy = line.text("--peer") == "legacy"
    if line.isGiven("--after-content") {
      afterContent = line.choice("--after-content", as: AfterContent.self)
    }
    coordination = line.text("--as").flatMap(Coordination.init) ?? .baton
    without = try Self.rules(line.text("--without") ?? "", option: "--without")
    wallet = WalletOption.profile(line)
    guard wallet == .phoenix || coordination == .baton else {
      throw CommandFailure(
        .wrongUsage, "--as has an extension with a node; omit --as, or --wallet \(wallet.name)")
    }
    guard without.isEmpty || coordination == .baton else {
      throw CommandFailure(.wrongUsage, "--without removes rules of Baton's coordination; omit --as")
    }
  }

  /// Parses rules separated by commas.
  package static func rules(_ text: String, option: String) throws -> [Rule] {
    try text.split(separator: ",").map { word in
      guard let rule = Rule(rawValue: String(word)) else {
        throw CommandFailure(
          .wrongUsage,
          "there is no rule \(String(word).onOneLine); \(option) takes \(Rule.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      return rule
    }
  }

  /// The options beside the seed, as typed.
  package var words: String {
    var words: [String] = []
    if length != .seconds(600) { words.append("--length \(length.wholeMilliseconds)ms") }
    if isLegacy { words.append("--peer legacy") }
    if coordination != .baton { words.append("--as \(coordination.rawValue)") }
    if wallet != .phoenix { words.append("\(WalletOption.name) \(wallet.name)") }
    if let afterContent { words.append("--after-content \(afterContent.rawValue)") }
    if !without.isEmpty { words.append("--without \(without.map(\.rawValue).joined(separator: ","))") }
    return words.joined(separator: " ")
  }

  package func settings(seed: UInt64) -> RunSettings {
    var settings = RunSettings(seed: seed)
    settings.length = length
    settings.world.peerIsLegacy = isLegacy
    settings.world.without = Rules(without)
    settings.world.coordination = coordination
    settings.world.wallet = wallet
    settings.afterContent = afterContent
    if let afterContent { settings.world.phone.afterContent = afterContent }
    return settings
  }

  /// The options that repeat this run, as typed.
  package func words(for settings: RunSettings) -> String {
    var words = "--seed \(settings.seed)"
    if !self.words.isEmpty { words += " \(self.words)" }
    if let only = settings.only { words += " --only \(only.map(String.init).joined(separator: ","))" }
    if settings.order != 0 { words += " --order \(settings.order)" }
    return words
  }
}
