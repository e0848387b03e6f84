import Ground

/// Plays a story on a stage, line by line; the same for every stage.
struct Director<Stage: ScenarioStage> {
  /// The limit of each wait, on the stage's own clock: far more than any wait needs.
  static var waitLimit: TimeSpan { .seconds(60) }

  private(set) var stage: Stage
  private let scenario: Scenario
  private var played: [Performance.Played] = []

  private struct TimedOut: Error { var what: String }

  init(_ scenario: Scenario, on stage: Stage) {
    self.scenario = scenario
    self.stage = stage
  }

  mutating func run() throws -> Performance {
    var line = 0
    do {
      try begin()
      for step in scenario.steps {
        line = step.line
        try stage.come(to: step, comment: scenario.comment(above: step))
        var said: [String] = []
        if case .verdict = step.command {
          let verdict = try stage.judge()
          played.append(.init(step: step, said: [verdict.sentence]))
          return Performance(scenario: scenario, played: played, verdict: verdict)
        }
        do {
          said = try perform(step.command)
        } catch let trouble as CannotBeDone {
          said = ["cannot be done: \(trouble.why)"]
        }
        played.append(.init(step: step, said: said))
        if stage.broken != nil { return ended(line, waiting: "") }
      }
    } catch let trouble as TimedOut {
      return ended(line, waiting: trouble.what)
    }
    return ended(line, waiting: "for a verdict")
  }

  /// Before its last line. What does not go on may be broken, or have crashed, or be too little to judge.
  private mutating func ended(_ line: Int, waiting what: String) -> Performance {
    var verdict = StageVerdict.broken(stage.broken.map { ["after line \(line): \($0)"] } ?? [])
    if stage.broken == nil {
      let place = line == 0 ? "before the first line" : "line \(line)"
      do { verdict = try stage.judge() } catch { verdict = .unjudged(["could not be judged: \(error)"]) }
      verdict = verdict.gaveUp("\(place): gave up waiting \(what)")
    }
    return Performance(
      scenario: scenario, played: played, verdict: verdict, endedBeforeTheFirstLine: line == 0)
  }

  /// Every story starts with a wallet that was opened once, made the invoices, and was swiped away.
  private mutating func begin() throws {
    try stage.begin()
    try stage.make(.open)
    try wait(for: .appIsConnected)
    for payment in scenario.payments {
      try stage.makeInvoice(payment)
      try wait("for the invoice of payment \(payment.number)") { try $0.hasInvoice(payment.number) }
    }
    for invoice in scenario.invoices { try stage.makeExternalInvoice(invoice) }
    try make(.quit)
  }

  private mutating func perform(_ command: Command) throws -> [String] {
    switch command {
    case .make(let action): try make(action)
    case .wait(let condition): try wait(for: condition)
    case .pass(let span): try pass(span)
    case .ask(let answer): return answer(try stage.look(), scenario)
    case .given, .verdict: break
    }
    return []
  }

  private mutating func make(_ action: StoryAction) throws {
    if let target = action.target { try wait(for: target == .app ? .appRuns : .extensionRuns) }
    if case .payExpired(let number) = action {
      try wait(
        for: Condition(words: "until the invoice of payment \(number) has expired") {
          $0.expiredInvoices.contains(number)
        })
    }
    try stage.make(action)
    switch action {
    case .quit: try wait(for: .appHasEnded)
    case .freeze(let role), .freezeInside(let role):
      try wait(for: Condition(words: "until the \(role.rawValue) is frozen") { $0[role].isFrozen })
    default: break
    }
  }

  private mutating func wait(for condition: Condition) throws {
    try wait(condition.words) { condition.holds(try $0.look()) }
  }

  private mutating func wait(_ what: String, _ isMet: (inout Stage) throws -> Bool) throws {
    let end = stage.now + Self.waitLimit
    while try !isMet(&stage) {
      guard stage.now < end, stage.broken == nil else { throw TimedOut(what: what) }
      try stage.goOn(until: end)
    }
  }

  private mutating func pass(_ span: TimeSpan) throws {
    let end = stage.now + span
    while stage.now < end, stage.broken == nil { try stage.goOn(until: end) }
  }
}

/// The result of a story on one stage.
struct Performance: Sendable {
  struct Played: Sendable {
    var step: Scenario.Step
    var said: [String]

    var differs: Bool { said != step.expected }
  }

  var scenario: Scenario
  var played: [Played]
  var verdict: StageVerdict
  var endedBeforeTheFirstLine = false

  var differences: [Played] { played.filter(\.differs) }

  /// Played to its last line, nothing is broken, all is settled and no process crashed.
  var isSound: Bool { if case .sound = verdict { true } else { false } }

  /// The story's file with the actual answers in place of the expected ones; comments and empty lines stay.
  var rewritten: String {
    var lines: [String] = []
    var number = 0
    for line in scenario.lines {
      number += 1
      if ScenarioParser.isOutput(line) { continue }
      lines.append(line)
      let said = played.first { $0.step.line == number }?.said ?? []
      lines += said.map { "  > \($0)" }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Plays a story: the simulated world, or real processes. The stage acts and observes; the director decides what to
/// wait for and how to answer.
protocol ScenarioStage {
  /// The stage's clock, by which waits and pauses are measured.
  var now: Instant { get }
  /// A broken invariant; it ends the story.
  var broken: String? { get }

  /// Starts a new phone.
  mutating func begin() throws
  /// The user asks the connected app for an invoice.
  mutating func makeInvoice(_ payment: PlannedPayment) throws
  /// Creates an external invoice, which the user is to pay.
  mutating func makeExternalInvoice(_ invoice: PlannedInvoice) throws
  /// Whether the wallet has stored that invoice.
  mutating func hasInvoice(_ number: Int) throws -> Bool
  mutating func look() throws -> Scene
  /// The story comes to a step, whose comment in the file this is.
  mutating func come(to step: Scenario.Step, comment: String?) throws
  /// Lets the next events happen, none later than that instant.
  mutating func goOn(until: Instant) throws
  mutating func make(_ action: StoryAction) throws
  mutating func judge() throws -> StageVerdict
}

extension ScenarioStage { mutating func come(to step: Scenario.Step, comment: String?) {} }

/// The stage's verdict at the end of the story.
enum StageVerdict: Hashable, Sendable {
  case sound(settled: Int, failed: Int)
  /// Nothing is broken, but not everything is settled.
  case unsettled([String])
  case broken([String])
  /// A process crashed by itself.
  case crashed([String])
  /// Evidence is missing, or cannot be read.
  case unjudged([String])

  /// A wait timed out. Damage or a crash is graver, and the likely cause.
  func gaveUp(_ sentence: String) -> StageVerdict {
    switch self {
    case .broken(let sentences): .broken(sentences + [sentence])
    case .crashed(let sentences): .crashed(sentences + [sentence])
    case .unjudged(let sentences): .unsettled([sentence] + sentences)
    case .sound, .unsettled: .unsettled([sentence])
    }
  }

  /// The verdict's line in the story; details are printed elsewhere.
  var sentence: String {
    switch self {
    case .sound(let settled, let failed):
      let all = settled + failed
      let end = failed == 0 ? "" : "; \(failed) failed, and nobody has lost anything"
      let payments = "\(settled) of \(all) payment\(all == 1 ? "" : "s") settled"
      return settled == 0
        ? "sound: \(payments)\(end)" : "sound: \(payments), once each, equal on both sides\(end)"
    case .unsettled: return "not everything is settled"
    case .broken: return "broken"
    case .crashed: return "a process crashed by itself"
    case .unjudged: return "no verdict"
    }
  }
}

/// The stage cannot carry out a line; the reason is its answer.
struct CannotBeDone: Error, Hashable, Sendable {
  var why: String

  init(_ why: String) { self.why = why }
}
