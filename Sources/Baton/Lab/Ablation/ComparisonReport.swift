import DaemonRuntime
import Ground
import Museum
import PhonePolicy
import Simulation

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
    var exploration = Exploration(
      settings, jobs: jobs, statesMax: coordination == .baton ? 2_000_000 : Trial.statesMax)
    exploration.run { steps?.tell($0) }
    return Cell(
      coordination: coordination, trial: trial, states: exploration.explorer.states,
      isComplete: exploration.explorer.isDone, findings: ExploreReport(exploration).findings)
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
