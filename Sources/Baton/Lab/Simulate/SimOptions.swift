import DaemonRuntime
import Ground
import Guardrails
import Museum
import PhonePolicy
import Simulation

/// The options of a run for `sim` and `replay --seed`.
package struct SimOptions: Sendable {
  private var base = RunSettings(seed: 0)
  /// As typed.
  private var without: [Rule] = []

  /// Which run `replay` and `timeline` mean with --seed.
  static let ofOneRun = [
    OptionDeclaration(
      "--only", value: .text("NUMBERS"),
      help: "with --seed: keep only the user actions, payments and faults with these numbers, such as 3,9,12"),
    OptionDeclaration(
      "--order", value: .integer(0...Int64.max), default: "0",
      help: "with --seed: the processes move in another order, chosen by N"),
  ]

  package static var declarations: [OptionDeclaration] {
    [
      OptionDeclaration(
        "--length", value: .span, default: "10m",
        help: "the simulated time with user actions and faults in each run"), coordinationDeclaration,
      WalletOption.declaration, SettingsTable["--after-content"].defaulting("the seed decides"),
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
      PeerOption.declaration,
      OptionDeclaration(
        "--without", value: .list("RULES", of: Rule.allCases.map(\.name)),
        help: "remove rules, separated by commas: \(Rule.allCases.map(\.name).joined(separator: ", "))"),
    ]
  }

  package init(_ line: ParsedCommandLine) throws {
    if let length = line.span("--length") { base.length = length }
    try require(
      base.length > .zero && base.length <= .seconds(86_400), .wrongUsage,
      "--length must be above 0 and at most 24h")
    if line.isGiven("--after-content") {
      base.afterContent = line.choice("--after-content", as: AfterContent.self)
    }
    if let afterContent = base.afterContent { base.world.phone.afterContent = afterContent }
    base.world.peerIsLegacy = PeerOption.isLegacy(line)
    base.world.wallet = WalletOption.profile(line)
    without = try Self.rules(line.text("--without") ?? "", option: "--without")
    base.world.without = Rules(without)
    base.world.coordination = line.text("--as").flatMap(Coordination.init) ?? .baton
    guard base.world.coordination != .baton else { return }
    try require(
      base.world.wallet == .phoenix, .wrongUsage,
      "--as has an extension with a node; omit --as, or --wallet \(base.world.wallet.name)")
    try require(without.isEmpty, .wrongUsage, "--without removes rules of Baton's coordination; omit --as")
  }

  /// Parses rules separated by commas.
  package static func rules(_ text: String, option: String) throws -> [Rule] {
    try text.split(separator: ",").map { word in
      let rule = try require(
        Rule(named: String(word)), .wrongUsage,
        "there is no rule \(String(word).onOneLine); \(option) takes \(Rule.allCases.map(\.name).joined(separator: ", "))"
      )
      return rule
    }
  }

  /// The options beside the seed, as typed.
  package var words: String {
    let world = base.world
    var words: [String] = []
    if base.length != .seconds(600) { words.append("--length \(base.length.wholeMilliseconds)ms") }
    if world.peerIsLegacy { words.append("--peer legacy") }
    if world.coordination != .baton { words.append("--as \(world.coordination.rawValue)") }
    if world.wallet != .phoenix { words.append("\(WalletOption.name) \(world.wallet.name)") }
    if let afterContent = base.afterContent { words.append("--after-content \(afterContent.rawValue)") }
    if !without.isEmpty { words.append("--without \(without.map(\.name).joined(separator: ","))") }
    return words.joined(separator: " ")
  }

  package func settings(seed: UInt64) -> RunSettings {
    var settings = base
    settings.seed = seed
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

/// A range of seeds as typed: `1..1000`, or one seed.
struct SeedRange: Hashable, Sendable {
  var first: UInt64
  var last: UInt64

  init(_ first: UInt64, _ last: UInt64) {
    self.first = first
    self.last = last
  }

  /// The argument of `--seeds`.
  init(typed text: String) throws(CommandFailure) {
    let parts = text.split(separator: "..", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = UInt64(parts[0]), let last = UInt64(parts[parts.count - 1]),
      first <= last, last < .max, last - first < 1 << 40
    else {
      throw CommandFailure(.wrongUsage, "--seeds must be a number or an ascending range such as 1..1000")
    }
    try require(
      text != "0", .wrongUsage,
      "--seeds names seeds and not how many: write 0..0 for seed 0, or 1..1000 for a thousand")
    self.init(first, last)
  }

  /// The argument of `--seed`: any seed that `sim` can run.
  static func seed(typed text: String) throws(CommandFailure) -> UInt64 {
    guard let seed = UInt64(text), seed < .max else {
      throw CommandFailure(
        .wrongUsage,
        "--seed must be a whole number from 0 to \(UInt64.max - 1), not \(UsageError.quoted(text))")
    }
    return seed
  }

  func contains(_ seed: UInt64) -> Bool { first <= seed && seed <= last }

  /// The range as typed.
  var words: String { first == last ? "\(first)" : "\(first)..\(last)" }

  var count: UInt64 { last - first + 1 }
}

/// The options of `explore`: the world, its bounds and the limits.
struct ExploreOptions {
  private(set) var settings = ExploreSettings()
  private(set) var limits = ExploreLimits()

  static var declarations: [OptionDeclaration] {
    Allowance.allCases.map { allowance in
      OptionDeclaration(
        "--" + allowance.word, value: .integer(0...255), default: String(Bounds.standard[allowance]),
        help: allowance.sentence + (allowance == .tasks ? " (only with --as baton or phoenix)" : ""))
    } + [
      OptionDeclaration(
        "--states", value: .integer(1...1_000_000_000), default: "20000000",
        help: "give up beyond N states; 300,000 took 0.1 GB of memory"),
      OptionDeclaration(
        "--max-minutes", value: .integer(1...1_000_000), default: "60", help: "give up after N minutes"),
      OptionDeclaration(
        "--max-memory", value: .integer(16...1_048_576),
        help: "give up at N MB of memory; default: half of the machine's memory"),
      OptionDeclaration(
        "--all", help: "continue after a violation, and print a shortest run of each kind of violation"),
      OptionDeclaration(
        "--app-suspended",
        help: "at the start the app is suspended in the background; otherwise it does not run"),
      OptionDeclaration(
        "--user-away", help: "the user does not open the app at the end: payments are received all the same"),
      SimOptions.coordinationDeclaration, WalletOption.declaration,
    ] + ["--storage-delay", "--start-delay", "--after-content"].map { SettingsTable[$0] }
      + SimOptions.worldDeclarations
  }

  init(_ line: ParsedCommandLine) throws {
    for allowance in Allowance.allCases {
      settings.bounds[allowance] = line.integer("--" + allowance.word).map { Int(clamping: $0) } ?? 0
    }
    settings.appIsSuspended = line.isGiven("--app-suspended")
    settings.userStaysAway = line.isGiven("--user-away")
    settings.findsAll = line.isGiven("--all")
    settings.world = try SimOptions(line).settings(seed: 0).world
    try require(
      !settings.userStaysAway || settings.world.wallet.extension.hasNode, .wrongUsage,
      "with --wallet \(settings.world.wallet.name) a payment needs the app, so the user cannot stay away; omit --user-away"
    )
    try require(
      settings.bounds[.moves] == 0 || settings.world.allowsMoves, .wrongUsage,
      "--moves needs Baton's coordination and a peer that tells two devices apart; omit --peer legacy, --as and --without peer-fencing"
    )
    settings.world.storageDelay = line.time("--storage-delay")
    settings.world.startDelay = line.time("--start-delay")
    limits.states = line.integer("--states").map { Int(clamping: $0) } ?? .max
    limits.time = line.integer("--max-minutes").map { .seconds($0 * 60) }
    limits.memoryBytes =
      line.integer("--max-memory").map { UInt64($0) << 20 } ?? ExploreLimits.standardMemoryBytes
  }
}
