import PhoneClient
import Ground
import DaemonRuntime
import Simulation

/// What `sim` and `replay --seed` are told about a run.
package struct SimOptions: Sendable {
  private var length = TimeSpan.seconds(600)
  private var isLegacy = false
  private var coordination = Coordination.baton
  private var without: [Rule] = []

  package static var declarations: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--length", value: .span, default: "10m", help: "how long people and faults are at work in each run"),
      coordinationDeclaration,
    ] + worldDeclarations
  }

  static var coordinationDeclaration: OptionDeclaration {
    OptionDeclaration(
      "--as", value: .choice(Coordination.allCases.map(\.rawValue)), default: Coordination.baton.rawValue,
      help:
        "how the two processes keep apart: ours, or as others do it, with a peer that does not know epochs")
  }

  /// Of the world that is simulated, or explored.
  package static var worldDeclarations: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--peer", value: .choice(["fencing", "legacy"]), default: "fencing",
        help: "a peer that knows epochs, or one for which the newest connection wins"),
      OptionDeclaration(
        "--without", value: .list("RULES", of: Rule.allCases.map(\.rawValue)),
        help:
          "take rules away, to see what they are for: \(Rule.allCases.map(\.rawValue).joined(separator: ", "))"
      ),
    ]
  }

  package init(_ line: ParsedCommandLine) throws {
    if let length = line.span("--length") { self.length = length }
    guard length > .zero, length <= .seconds(86_400) else {
      throw CommandFailure(.wrongUsage, "--length must be above 0 and at most 24h")
    }
    isLegacy = line.text("--peer") == "legacy"
    coordination = line.text("--as").flatMap(Coordination.init) ?? .baton
    without = try Self.rules(line.text("--without") ?? "", option: "--without")
    guard without.isEmpty || coordination == .baton else {
      throw CommandFailure(.wrongUsage, "--without takes rules away from ours; it does not go with --as")
    }
  }

  /// Rules as they are typed, with commas between them.
  package static func rules(_ text: String, option: String) throws -> [Rule] {
    try text.split(separator: ",").map { word in
      guard let rule = Rule(rawValue: String(word)) else {
        throw CommandFailure(
          .wrongUsage,
          "there is no rule \(String(word).onOneLine); \(option) knows \(Rule.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      return rule
    }
  }

  /// What to type beside the seed.
  package var words: String {
    var words: [String] = []
    if length != .seconds(600) { words.append("--length \(length.wholeMilliseconds)ms") }
    if isLegacy { words.append("--peer legacy") }
    if coordination != .baton { words.append("--as \(coordination.rawValue)") }
    if !without.isEmpty { words.append("--without \(without.map(\.rawValue).joined(separator: ","))") }
    return words.joined(separator: " ")
  }

  package func settings(seed: UInt64) -> RunSettings {
    var settings = RunSettings(seed: seed)
    settings.length = length
    settings.world.peerIsLegacy = isLegacy
    settings.world.without = Rules(without)
    settings.world.coordination = coordination
    return settings
  }

  /// What to type for this very run.
  package func words(for settings: RunSettings) -> String {
    var words = "--seed \(settings.seed)"
    if !self.words.isEmpty { words += " \(self.words)" }
    if let only = settings.only { words += " --only \(only.map(String.init).joined(separator: ","))" }
    if settings.order != 0 { words += " --order \(settings.order)" }
    return words
  }
}
