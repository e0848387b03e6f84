import DaemonRuntime
import Ground
import Guardrails
import Museum
import PhonePolicy
import Simulation

/// What the rules prevent, as text, as docs/ablation.md and as JSON.
struct AblationReport {
  let findings: [Ablation.Finding]
  /// Pairs of rules that break something together but not alone.
  let together: [Ablation.Finding]
  /// With all rules.
  let all: SimFigures
  let seeds: SeedRange

  // MARK: Text

  var text: [String] {
    (findings + together).flatMap { finding in
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
  var steps: AblationSteps?

  /// With all rules, for comparison.
  var figuresOfAll: SimFigures { figures(without: []) }

  package func find(_ rules: [Rule]) -> Finding {
    Finding(rules: rules, broken: explored(rules), figures: figures(without: rules))
  }

  /// For rules that break nothing alone: nil if the seeds break nothing without all of them, either.
  func findTogether(_ rules: [Rule]) -> Finding? {
    let figures = figures(without: rules)
    guard let first = figures.broken.first, let violation = first.violation else { return nil }
    let ofSeed = Broken(words: "of seed \(first.seed)", violation: violation, story: [])
    return Finding(rules: rules, broken: explored(rules) ?? ofSeed, figures: figures)
  }

  /// The pairs whose removal breaks an invariant; if there are none, the finding without all of the rules.
  package func together(_ silent: [Rule], tell: ([Rule]) -> Void) -> [Finding] {
    var findings: [Finding] = []
    for pair in silent.pairs {
      tell(pair)
      if let finding = findTogether(pair) { findings.append(finding) }
    }
    guard findings.isEmpty, silent.count > 2 else { return findings }
    tell(silent)
    return [find(silent)]
  }

  private func explored(_ rules: [Rule]) -> Broken? {
    for trial in Trial.ofRules { if let broken = explore(trial, without: rules) { return broken } }
    return nil
  }

  private func explore(_ trial: Trial, without rules: [Rule]) -> Broken? {
    var settings = ExploreSettings()
    settings.bounds = trial.bounds
    settings.world.without = Rules(rules)
    settings.world.wallet = wallet
    let report = ExploreReport(
      exploring: settings, jobs: jobs, ExploreLimits(states: Trial.statesMax)
    ) { steps?.tell($0) }
    return report.findings.first.map {
      Broken(words: trial.words, violation: $0.violation, story: $0.story)
    }
  }

  private func figures(without rules: [Rule]) -> SimFigures {
    let campaign = SimCampaign(seeds, jobs: jobs) { [wallet] seed in
      var settings = RunSettings(seed: seed)
      settings.world.without = Rules(rules)
      settings.world.wallet = wallet
      return settings
    }
    return campaign.run { [steps, seeds] in steps?.tell($0, of: seeds) }
  }
}

extension Array {
  /// All pairs, in order.
  var pairs: [[Element]] { indices.flatMap { first in self[(first + 1)...].map { [self[first], $0] } } }
}

/// Reports the current step of an ablation and its progress: a step may take a minute.
final class AblationSteps: Sendable {
  private let say: @Sendable (String) -> Void
  private let step = Locked("")

  init(say: @escaping @Sendable (String) -> Void) { self.say = say }

  func begin(_ name: String) {
    step.withLock { $0 = name }
    say(name)
  }

  func tell(_ exploration: Exploration) { tell(ExploreReport.progress(exploration)) }

  func tell(_ figures: SimFigures, of range: SeedRange) {
    tell(figures.progress(of: range))
  }

  private func tell(_ sentence: String) { say("\(step.withLock { $0 }): \(sentence)") }
}

/// docs/ablation.md: what each rule prevents, and what breaks under others' coordination.
struct AblationPage {
  let rules: AblationReport
  let others: ComparisonReport
  let incidents: [Showing]

  var markdown: [String] {
    [
      "# What keeps two processes off one node", "",
      "The tables are made by `baton ablation --markdown`. It explores every interleaving of one payment, one opening of the",
      "app and one kind of fault, up to 100,000 states (in the first table up to 2,000,000 for Baton). `baton ablation` without",
      "`--markdown` prints a shortest story of each violation.", "", "## Baton and others' coordination", "",
      "The node, the phone, the peer and the user are the same; only the coordination of the two processes differs. The others",
      "have no epochs, so their peer keeps the newest connection, as today's peers do. The models follow the public sources",
      "([fidelity](fidelity.md#other-coordinations)). No other product was run. “Both run the node” means that both processes",
      "have sent `channel_reestablish` and neither was asked to stop. “The app waits” means that the app is in front and no",
      "process has run the node for 3 s. matrix-rust-sdk is no wallet: its lock protects a key store.", "",
    ] + others.markdown + [
      "", "## The museum", "",
      "Published incidents, each in the smallest world that shows it. `baton museum NAME` prints what happened and the shortest",
      "story.", "",
    ] + MuseumReport.markdown(incidents) + [
      "", "## Baton's rules, one by one", "",
      "Each rule is removed from the simulated world, without a change of the state machines. [guardrails.md](guardrails.md)",
      "explains the terms. Two worlds are added to those above: a lock file is replaced, a connection is slow. The last column",
      "comes from \(rules.seeds.count) seeds of `baton sim`, ten minutes with faults each: how many seeds break an invariant, and the time from",
      "opening the app to its connection, on average and at most.", "",
    ] + rules.markdown
  }
}

/// The result of the comparison, as text, as docs/ablation.md and as JSON.
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
struct Comparison {
  struct Cell {
    var coordination: Coordination
    var trial: Trial
    var states: Int
    var isComplete: Bool
    var findings: [ExploreReport.Finding]
  }

  let jobs: Int
  var steps: AblationSteps?

  func explore(_ coordination: Coordination, _ trial: Trial) -> Cell {
    var settings = ExploreSettings()
    settings.bounds = trial.bounds
    settings.world.coordination = coordination
    settings.findsAll = true
    // Baton's own worlds are explored as completely as possible; for others a part suffices.
    let limits = ExploreLimits(states: coordination == .baton ? 2_000_000 : Trial.statesMax)
    let report = ExploreReport(exploring: settings, jobs: jobs, limits) { steps?.tell($0) }
    return Cell(
      coordination: coordination, trial: trial, states: report.states, isComplete: report.reached == nil,
      findings: report.findings)
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
