import DaemonRuntime
import Ground
import Guardrails
import Museum
import PhonePolicy
import Simulation

/// What the rules prevent, as text, as tables of docs/ablation.md and as JSON.
struct AblationReport {
  let findings: [Ablation.Finding]
  /// Pairs of rules that break something together but not alone.
  let together: [Ablation.Finding]
  /// With all rules.
  let all: SimFigures
  let seeds: SeedRange

  // MARK: Text

  var text: [String] {
    (findings + together).flatMap { finding -> [String] in
      ["without \(names(finding)): \(verdict(finding))"] + (finding.broken?.story ?? []) + [""]
    } + ["with all rules: \(waits(all))"]
  }

  private func names(_ finding: Ablation.Finding) -> String {
    finding.rules.map(\.name).joined(separator: ",")
  }

  private func verdict(_ finding: Ablation.Finding) -> String {
    guard let broken = finding.broken else { return "no invariant breaks in these worlds; \(cost(finding))" }
    return "Broken: \(broken.violation.invariant.sentence) Condition: \(broken.words)."
  }

  /// The waiting times, or how many seeds break an invariant.
  private func cost(_ finding: Ablation.Finding) -> String {
    finding.figures.broken.isEmpty
      ? waits(finding.figures) : "one breaks in \(finding.figures.broken.count) of \(seeds.count) seeds"
  }

  private func waits(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)) from opening the app to connected on average, \(HumanText.span(figures.connecting.longest)) at most"
  }

  // MARK: The page

  var markdown: [String] {
    [
      "| without | what the rule says | the broken invariant | when | seeds with a broken invariant; mean and longest wait |",
      "|---|---|---|---|---|", "| nothing | | | | 0; \(span(all)) |",
    ] + findings.map { row($0, "\($0.rules.map(\.sentence).joined(separator: " ")) | ") } + pairs
  }

  private func row(_ finding: Ablation.Finding, _ rule: String = "") -> String {
    "| `\(names(finding))` | \(rule)\(promise(finding)) | \(finding.broken?.words ?? "") | \(finding.figures.broken.count); \(span(finding.figures)) |"
  }

  private func promise(_ finding: Ablation.Finding) -> String {
    if let broken = finding.broken { return broken.violation.invariant.sentence }
    return finding.figures.broken.first?.violation.map { "only in seeds: \($0.invariant.sentence)" }
      ?? "none in these worlds"
  }

  private var pairs: [String] {
    guard !together.isEmpty else { return [] }
    let isPairs = together.allSatisfy { $0.rules.count == 2 }
    let words =
      isPairs
      ? "Of the rules with “none in these worlds”, these pairs break an invariant when removed together:"
      : "Of the rules with “none in these worlds”, any two removed together break nothing in the seeds. All of them removed:"
    return [
      "", words, "",
      "| without | the broken invariant | when | seeds with a broken invariant; mean and longest wait |",
      "|---|---|---|---|",
    ] + together.map { row($0) }
  }

  private func span(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)), \(HumanText.span(figures.connecting.longest))"
  }

  // MARK: JSON

  struct Document: Report {
    var without: String
    var seeds: UInt64
    var brokenSeeds: Int
    var connectingMeanMs: Int64
    var connectingLongestMs: Int64
    var invariant: Int?
    var violation: String?
    /// The world in which it broke.
    var when: String?
    var story: [String]?
  }

  var documents: [Document] {
    (findings + together).map { finding in
      let broken = finding.broken
      return Document(
        without: names(finding), seeds: seeds.count, brokenSeeds: finding.figures.broken.count,
        connectingMeanMs: finding.figures.connecting.mean.wholeMilliseconds,
        connectingLongestMs: finding.figures.connecting.longest.wholeMilliseconds,
        invariant: broken?.violation.invariant.rawValue, violation: broken?.violation.sentence,
        when: broken?.words, story: broken?.story)
    }
  }
}

/// Shows what the rules of the coordination prevent: explores worlds without one or two rules, with various bounds,
/// until an invariant breaks, and runs seeds without them to measure waiting times.
package struct Ablation {
  package struct Finding {
    package var rules: [Rule]
    /// The first world in which an invariant broke, with the shortest story.
    package var broken: Broken?
    package var figures: SimFigures

    package var breaks: Bool { broken != nil || !figures.broken.isEmpty }
  }

  package struct Broken {
    /// The trial's condition.
    package var words: String
    package var violation: Violation
    package var story: [String]
  }

  let jobs: Int
  let seeds: SeedRange
  var wallet = WalletProfile.phoenix
  /// Is told each step and its progress: a step may take a minute.
  let say: (String) -> Void
  private var step = ""

  init(
    jobs: Int, seeds: SeedRange, wallet: WalletProfile = .phoenix, say: @escaping (String) -> Void = { _ in }
  ) {
    (self.jobs, self.seeds, self.wallet, self.say) = (jobs, seeds, wallet, say)
  }

  /// `isWhole`: also pairs of rules, other products, and the museum.
  mutating func page(_ rules: [Rule], isWhole: Bool) -> AblationPage {
    var findings: [Finding] = []
    for (place, rule) in rules.enumerated() {
      begin("\(place + 1) of \(rules.count): without \(rule.name)")
      findings.append(find([rule]))
    }
    let together = isWhole ? together(findings.filter { !$0.breaks }.flatMap(\.rules)) : []
    var cells: [Comparison.Cell] = []
    for coordination in isWhole ? Coordination.compared : [] {
      for trial in Trial.ofCoordinations where trial.isOf(coordination) {
        begin("\(coordination.name): \(trial.words)")
        cells.append(compare(coordination, trial))
      }
    }
    var museum = Museum(jobs: jobs)
    var showings: [Showing] = []
    for incident in isWhole ? Incident.all : [] {
      begin(incident.name)
      showings.append(museum.show(incident, progress: tell))
    }
    return AblationPage(
      rules: AblationReport(findings: findings, together: together, all: figures(without: []), seeds: seeds),
      others: ComparisonReport(cells: cells), incidents: showings)
  }

  mutating func begin(_ step: String) {
    self.step = step
    say(step)
  }

  private func tell(_ report: ExploreReport) { say("\(step): \(report.progress)") }

  func tell(_ figures: SimFigures) { say("\(step): \(figures.progress(of: seeds))") }

  private func find(_ rules: [Rule]) -> Finding {
    Finding(rules: rules, broken: explored(rules), figures: figures(without: rules))
  }

  /// Of rules that break nothing alone, the pairs whose removal breaks an invariant; if there are none, the finding
  /// without all of the rules.
  private mutating func together(_ silent: [Rule]) -> [Finding] {
    var findings: [Finding] = []
    for pair in silent.pairs {
      begin("without \(pair.map(\.name).joined(separator: " and "))")
      let figures = figures(without: pair)
      guard let first = figures.broken.first, let violation = first.violation else { continue }
      let ofSeed = Broken(words: "of seed \(first.seed)", violation: violation, story: [])
      findings.append(Finding(rules: pair, broken: explored(pair) ?? ofSeed, figures: figures))
    }
    guard findings.isEmpty, silent.count > 2 else { return findings }
    begin("without \(silent.map(\.name).joined(separator: " and "))")
    return [find(silent)]
  }

  private func explored(_ rules: [Rule]) -> Broken? {
    for trial in Trial.ofRules {
      let report = explore(trial, statesMax: Trial.statesMax) {
        $0.without = Rules(rules)
        $0.wallet = wallet
      }
      guard let found = report.findings.first else { continue }
      return Broken(words: trial.words, violation: found.violation, story: found.story)
    }
    return nil
  }

  private func compare(_ coordination: Coordination, _ trial: Trial) -> Comparison.Cell {
    // Baton's own worlds are explored as completely as possible; for others a part suffices.
    let statesMax = coordination == .baton ? 2_000_000 : Trial.statesMax
    let report = explore(trial, statesMax: statesMax, findsAll: true) { $0.coordination = coordination }
    return Comparison.Cell(
      coordination: coordination, trial: trial, states: report.states, isComplete: report.reached == nil,
      findings: report.findings)
  }

  private func explore(
    _ trial: Trial, statesMax: Int, findsAll: Bool = false, _ change: (inout WorldSettings) -> Void
  ) -> ExploreReport {
    var settings = ExploreSettings()
    settings.bounds = trial.bounds
    settings.findsAll = findsAll
    change(&settings.world)
    return ExploreReport(
      exploring: settings, jobs: jobs, ExploreLimits(states: statesMax), progress: tell)
  }

  func figures(without rules: [Rule]) -> SimFigures {
    let campaign = SimCampaign(range: seeds, jobs: jobs) { [wallet] seed in
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules(rules)
      settings.world.wallet = wallet
      return settings
    }
    return campaign.run(progress: tell)
  }
}

extension Array {
  /// All pairs, in order.
  var pairs: [[Element]] { indices.flatMap { first in self[(first + 1)...].map { [self[first], $0] } } }
}

/// What each rule prevents, and what breaks under others' coordination.
struct AblationPage {
  let rules: AblationReport
  let others: ComparisonReport
  let incidents: [Showing]

  /// The tables of docs/ablation.md.
  var markdown: [String] {
    others.markdown + [""] + MuseumReport.markdown(incidents) + [""] + rules.markdown
  }
}

/// The result of the comparison, as text, as tables of docs/ablation.md and as JSON.
struct ComparisonReport {
  let cells: [Comparison.Cell]

  /// The story of each violation once per coordination, in the world in which it was found first.
  var text: [String] {
    var told: Set<[String]> = []
    return cells.flatMap { cell in
      ["\(cell.coordination.name), \(cell.trial.words): \(summary(cell))"]
        + cell.findings.flatMap { finding in
          let isNew = told.insert([cell.coordination.name, finding.violation.sentence]).inserted
          return ["  \(finding.violation.sentence)"] + (isNew ? finding.story : [])
        }
    }
  }

  private func summary(_ cell: Comparison.Cell) -> String {
    let seen =
      "\(HumanText.grouped(UInt64(cell.states))) states\(cell.isComplete ? "" : ", exploration incomplete")"
    return cell.findings.isEmpty
      ? "no invariant broke in \(seen)" : "\(cell.findings.count) ways to break an invariant, \(seen)"
  }

  // MARK: The page

  var markdown: [String] {
    [
      "| | " + cells.coordinations.map(\.name).joined(separator: " | ") + " |",
      "|---|" + cells.coordinations.map { _ in "---|" }.joined(),
    ]
      + cells.worlds.map { words in
        "| \(words) | " + cells.coordinations.map { entry(words, $0) }.joined(separator: " | ") + " |"
      }
  }

  private func entry(_ words: String, _ coordination: Coordination) -> String {
    guard let cell = cells.first(where: { $0.coordination == coordination && $0.trial.words == words }) else {
      return "tasks are not modelled"
    }
    guard cell.findings.isEmpty else { return cell.words.joined(separator: ", ") }
    let states = HumanText.grouped(UInt64(cell.states))
    return cell.isComplete
      ? "nothing breaks, in all \(states) states"
      : "nothing breaks in \(states) states, exploration incomplete"
  }

  struct Document: Report {
    var coordination: String
    var world: String
    var states: Int
    var complete: Bool
    var findings: [BrokenInvariant]
  }

  var documents: [Document] {
    cells.map { cell in
      Document(
        coordination: cell.coordination.rawValue, world: cell.trial.words, states: cell.states,
        complete: cell.isComplete, findings: cell.findings.map(\.document))
    }
  }
}

extension Comparison.Cell {
  /// The broken invariants, each once.
  var words: [String] {
    Invariant.allCases.filter { invariant in findings.contains { $0.violation.invariant == invariant } }.map(
      \.word)
  }
}

/// The same small worlds with Baton's coordination and with others': which invariants break, and how.
enum Comparison {
  struct Cell {
    var coordination: Coordination
    var trial: Trial
    var states: Int
    var isComplete: Bool
    var findings: [ExploreReport.Finding]
  }
}

extension [Comparison.Cell] {
  var coordinations: [Coordination] {
    Coordination.allCases.filter { coordination in contains { $0.coordination == coordination } }
  }

  var worlds: [String] {
    Trial.ofCoordinations.map(\.words).filter { words in contains { $0.trial.words == words } }
  }
}

extension Coordination {
  /// The columns of the comparison; the museum has the others.
  static let compared: [Coordination] = [.baton, .phoenix, .bitkit2025, .matrix2023]
}

extension Invariant {
  /// The text of a table cell.
  package var word: String {
    switch self {
    case .oneDriver: "both run the node"
    case .channelNeverBack: "channel state goes back"
    case .paidIsReceivedOnce: "received twice or never"
    case .oneTextPerPush: "a push shown never or twice"
    case .progress: "the app waits"
    case .healthyOwnerStays: "healthy owner displaced"
    case .releasedBeforeSuspension: "suspended with a lock"
    case .sentOnce: "sent twice, or a wrong outcome"
    case .awakeForPayments: "wrongly suspended or awake"
    case .tasksAreCompleted: "a background task completed never or twice"
    case .newestIsShown: "an old status shown"
    case .textIsTrue: "an untrue text"
    case .toldOnce: "a payment notified twice"
    case .movedByUser: "moved without the user"
    case .tellsOnly: "the node used by an extension that only notifies"
    case .toldAtOnce: "a late text"
    case .recordsAreTrue: "a wrong or lost record"
    case .senderKnows: "paid twice, or a wrong answer to a sender"
    }
  }
}

/// A small world with one kind of fault: small enough to be explored, and for a short story.
struct Trial: Sendable {
  /// The condition, as a clause.
  var words: String
  var bounds: Bounds

  private init(_ words: String, _ counts: [Allowance: Int]) {
    self.words = words
    bounds = Bounds(counts.merging([.pushes: 1, .opens: 1]) { given, _ in given })
  }

  static let nothing = Trial("nothing goes wrong", [.preemptions: 2])
  static let lateMessage = Trial("a message is lost, repeated or late", [.messageFaults: 1])
  static let crash = Trial("a process is killed", [.crashes: 1])
  static let task = Trial("the app has a long-lived task", [.tasks: 1])
  static let freeze = Trial("a process is frozen", [.freezes: 1])

  /// The small ones first: their stories are shorter.
  static let ofRules: [Trial] = [
    nothing, Trial("a lock file is replaced", [.replacedLocks: 1]),
    Trial("a connection is slow", [.slowConnections: 1]), task, lateMessage, crash, freeze,
  ]

  /// Everyday conditions, for comparing coordinations.
  static let ofCoordinations: [Trial] = [
    nothing, lateMessage, crash, Trial("the wall clock is set", [.clockSteps: 1]), task, freeze,
  ]

  func isOf(_ coordination: Coordination) -> Bool { bounds[.tasks] == 0 || coordination.hasTasks }

  /// The exploration gives up beyond this.
  static let statesMax = 100_000
}
