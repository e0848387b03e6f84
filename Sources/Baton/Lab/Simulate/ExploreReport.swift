import DaemonRuntime
import Dispatch
import Glibc
import Ground
import Museum
import PhonePolicy
import Simulation

/// An exploration on several threads, and its result as text and as JSON. The result does not depend on their number.
package struct ExploreReport {
  private static let placesAtATime = 256

  private let jobs: Int
  private let limits: ExploreLimits
  private let start = Clock.monotonicNow
  private var end: Instant?
  private var limit: ExploreLimits.Reached?
  private(set) var explorer: Explorer
  /// The violations, each with a shortest story.
  package private(set) var findings: [Finding] = []

  package struct Finding {
    package var violation: Violation
    package var story: [String]
  }

  /// Explores until all states are visited, an invariant breaks, or a limit is reached. `progress` is called after each
  /// part.
  init(
    exploring settings: ExploreSettings, jobs: Int, _ limits: ExploreLimits,
    progress: (ExploreReport) -> Void = { _ in }
  ) {
    self.jobs = jobs
    self.limits = limits
    explorer = Explorer(settings)
    while !explorer.isDone, isAllowed() {
      var next = 0
      while next < explorer.waiting, isAllowed() {
        let ranges = (0..<jobs).map { job in
          let first = min(next + job * Self.placesAtATime, explorer.waiting)
          return first..<min(first + Self.placesAtATime, explorer.waiting)
        }
        for expansions in expand(ranges) { explorer.take(expansions) }
        next += jobs * Self.placesAtATime
        progress(self)
      }
      if next >= explorer.waiting { explorer.finishLayer() }
    }
    end = Clock.monotonicNow
    findings = explorer.findings.map { finding in
      Finding(violation: finding.violation, story: story(of: finding).text(isExplored: true))
    }
  }

  private mutating func isAllowed() -> Bool {
    limit = limit ?? limits.reached(states: explorer.states, took: took)
    return limit == nil
  }

  private func expand(_ ranges: [Range<Int>]) -> [[Explorer.Expansion]] {
    let results = Locked([[Explorer.Expansion]](repeating: [], count: ranges.count))
    let explorer = explorer
    DispatchQueue.concurrentPerform(iterations: ranges.count) { job in
      let expansions = explorer.expand(ranges[job])
      results.withLock { $0[job] = expansions }
    }
    return results.withLock { $0 }
  }

  private func story(of finding: Explorer.Finding) -> WorldStory {
    var story = WorldStory()
    explorer.tell(finding.state) { story.listen(to: &$0, after: $1) }
    return story
  }

  private var took: TimeSpan { (end ?? Clock.monotonicNow) - start }

  var progress: String {
    let perSecond = UInt64(explorer.states) * 1_000_000_000 / UInt64(max(1, took.nanoseconds))
    return
      "\(HumanText.grouped(UInt64(explorer.states))) states, \(explorer.depth) steps deep, \(HumanText.grouped(UInt64(explorer.waiting))) still to expand, \(HumanText.grouped(perSecond)) states a second"
  }

  /// The first finding's run as a picture, if there is one.
  var timeline: Timeline? {
    explorer.findings.first.map {
      story(of: $0).timeline(title: "baton explore: \($0.violation.invariant.sentence)")
    }
  }

  var states: Int { explorer.states }

  /// Those of the explored wallet.
  var invariants: [Invariant] { Invariant.of(explorer.settings.world.wallet) }

  /// Nil if all states were visited.
  var reached: ExploreLimits.Reached? { explorer.isDone ? nil : limit }

  package var exitCode: ExitCode {
    findings.map(\.violation).exitCode ?? (explorer.isDone ? .done : reached?.exitCode ?? .gaveUp)
  }

  package func text(_ output: Output) -> [String] {
    var lines = [
      "\(HumanText.grouped(UInt64(explorer.states))) states, \(HumanText.grouped(UInt64(explorer.transitions))) steps between them, \(explorer.depth) deep, in \(HumanText.span(took))",
      "\(HumanText.grouped(UInt64(explorer.healed))) of these states wait for a deadline or a user; from each of them the app connects and every payment settles",
    ]
    if explorer.lost > 0 {
      lines.append(
        "\(HumanText.grouped(UInt64(explorer.lost))) more are lost: the peer was restarted before it had stored the newest backup, and the wallet's database is older too"
      )
    }
    if !findings.isEmpty {
      lines = [String(lines[0])]
      for finding in findings {
        lines += ["", output.paint("an invariant broke: \(finding.violation.invariant.sentence)", .red)]
        lines += ["\(finding.violation.sentence) The shortest story:"] + finding.story
      }
      return lines + [""] + endOfFindings(output)
    }
    // The transition tables are of Baton's machines.
    if explorer.settings.world.coordination == .baton { lines += waysText() }
    if explorer.isDone {
      lines.append(output.paint("all states were visited, and no invariant broke", .green))
    } else {
      lines.append(
        output.paint(
          "given up: \(reached?.sentence ?? "it was ended"); no invariant broke in the visited states.\(advice)",
          .yellow))
    }
    return lines
  }

  private var advice: String {
    if case .interruption? = reached { return "" }
    return " Lower a bound of the world, or raise that limit."
  }

  private func endOfFindings(_ output: Output) -> [String] {
    guard explorer.settings.findsAll else { return ["with --all the search goes on after a violation"] }
    let count = "\(findings.count) \(findings.count == 1 ? "way" : "ways") to break an invariant"
    return explorer.isDone
      ? ["\(count); all states were visited"]
      : [
        output.paint(
          "\(count); given up: \(reached?.sentence ?? "it was ended"), so there may be more", .yellow)
      ]
  }

  private func waysText() -> [String] {
    let ways = ways
    let untaken = ways.filter { $0.isDeclared && !$0.isTaken }
    let undeclared = ways.filter { $0.isTaken && !$0.isDeclared }
    var lines = ["\(ways.count { $0.isTaken }) of \(ways.count) state transitions of the machines were taken"]
    for way in undeclared {
      lines.append("  not in the machine's table: \(way.machine): \(way.from) → \(way.to)")
    }
    return lines + Self.byReason(untaken)
  }

  /// An extension without a node has no machine with a table.
  private var ways: [Ways.Way] {
    guard !explorer.settings.world.wallet.extension.hasNode else { return explorer.ways.all }
    return explorer.ways.all.filter { !["extension", "ownership, in the extension"].contains($0.machine) }
  }

  /// One line per reason: the document has each way.
  private static func byReason(_ ways: [Ways.Way]) -> [String] {
    var seen: Set<String> = []
    return ways.map(UntakenWays.reason).filter { seen.insert($0).inserted }.map { reason in
      "  \(ways.count { UntakenWays.reason($0) == reason }) never, as \(reason)"
    }
  }

  struct Document: Report {
    var states: Int
    var transitions: Int
    var depth: Int
    /// States from which the world was run on without faults until all payments settled.
    var healed: Int
    /// States from which nothing recovers: the peer has lost the newest backup, and the database is older too.
    var lost: Int
    var tookMs: Int64
    /// All states were visited.
    var complete: Bool
    var untakenWays: [String]
    /// Why it ended early.
    var givenUp: String?
    var findings: [BrokenInvariant]
    /// The page of the first finding's run.
    var timeline: String?
  }

  var document: Document {
    Document(
      states: explorer.states, transitions: explorer.transitions, depth: explorer.depth,
      healed: explorer.healed, lost: explorer.lost, tookMs: took.wholeMilliseconds,
      complete: explorer.isDone && (findings.isEmpty || explorer.waiting == 0),
      untakenWays: ways.filter { $0.isDeclared && !$0.isTaken }.map(\.sentence),
      givenUp: reached?.sentence, findings: findings.map(\.document))
  }
}

/// A violation in the simulation, with its story.
struct BrokenInvariant: Report {
  var invariant: Int
  var violation: String
  var story: [String]
}

extension ExploreReport.Finding {
  var document: BrokenInvariant {
    BrokenInvariant(invariant: violation.invariant.rawValue, violation: violation.sentence, story: story)
  }
}

extension Violation {
  var exitCode: ExitCode { invariant == .progress ? .noProgress : .exclusionOrMoneyBroken }
}

extension [Violation] {
  /// Of the gravest; nil without one.
  var exitCode: ExitCode? {
    contains { $0.exitCode != .noProgress } ? .exclusionOrMoneyBroken : first?.exitCode
  }
}

extension Ways.Way { package var sentence: String { "\(machine): \(from) → \(to)" } }

/// Why an exploration does not take a transition of a machine, and which option it needs.
enum UntakenWays {
  static func reason(_ way: Ways.Way) -> String {
    let ends = [way.from, way.to]
    func has(_ names: String...) -> Bool { ends.contains { names.contains($0) } }
    switch way.machine {
    case "node" where has("preparing"):
      return "it needs a start that waits for something outside: --start-delay 5s"
    case "node" where has("offline"): return "it needs a phone without a network: --networks 1"
    case "node" where has("adopting", "awaitingBackup", "mute"):
      return "it needs a database older than the peer's backup: --copies 1"
    case "node" where has("readingAgain") || (way.from == "checkingRow" && way.to == "pausing"):
      return "it needs a process that is stopped inside a transaction: --freezes 1"
    case "node" where has("pausing"):
      return "it needs a connection that breaks: --cuts 1, or --peer-restarts 1"
    case "app" where has("ending", "ended"), "app, to the phone" where has("terminating"):
      return "an exploration does not swipe the app away; baton sim does"
    case "app, to the phone" where has("launching"), "extension, to the phone" where has("launching"):
      return "a process starts at once in an exploration, and its start does not fail"
    case "extension" where has("ended"):
      return
        "it needs an extension that loses the node to the app, or that the phone asks to end: --freezes 1"
    default: return "it needs more than these bounds allow"
    }
  }
}

/// The limits of an exploration.
struct ExploreLimits {
  enum Reached: Hashable {
    case states(Int)
    case time(TimeSpan)
    case memory(UInt64)
    case interruption(Interruption)

    /// What ended the exploration, with the option to raise.
    var sentence: String {
      switch self {
      case .states(let most): "there are more than \(HumanText.grouped(UInt64(most))) states (--states)"
      case .time(let span): "the \(HumanText.span(span)) of --max-minutes have passed"
      case .memory(let bytes): "the \(HumanText.megabytes(bytes)) of --max-memory are used up"
      case .interruption(.interrupted): "it was interrupted"
      case .interruption(let signal): "it was ended by \(signal.name)"
      }
    }

    var exitCode: ExitCode {
      switch self {
      case .states, .time, .memory: .gaveUp
      case .interruption(let signal): signal.exitCode
      }
    }
  }

  var states = Int.max
  var time: TimeSpan?
  var memoryBytes: UInt64?
  var signals: SignalWatch?

  /// Half of the machine's memory, to leave room for other programs.
  static var standardMemoryBytes: UInt64 {
    let pages = UInt64(clamping: sysconf(Int32(_SC_PHYS_PAGES)))
    let size = UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
    let (bytes, overflowed) = pages.multipliedReportingOverflow(by: size)
    return overflowed || bytes == 0 ? 1 << 32 : bytes / 2
  }

  /// Nil while no limit is reached.
  func reached(states count: Int, took: TimeSpan) -> Reached? {
    if let interruption = signals?.arrived() { return .interruption(interruption) }
    if count > states { return .states(states) }
    if let time, took >= time { return .time(time) }
    if let memoryBytes, let used = MemoryFigures(of: getpid())?.residentBytes, used >= memoryBytes {
      return .memory(memoryBytes)
    }
    return nil
  }
}
