import Ground

/// Plays a story on a stage, line by line; the same for every stage.
public struct Director<Stage: ScenarioStage> {
  /// The limit of each wait, on the stage's own clock: far more than any wait needs.
  public static var waitLimit: TimeSpan { .seconds(60) }

  public private(set) var stage: Stage
  private let scenario: Scenario
  private var played: [Performance.Played] = []

  private struct TimedOut: Error { var what: String }

  public init(_ scenario: Scenario, on stage: Stage) {
    self.scenario = scenario
    self.stage = stage
  }

  public mutating func run() throws -> Performance {
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
          return performance(.played(verdict))
        }
        do {
          said = try perform(step.command)
        } catch let trouble as CannotBeDone {
          said = ["cannot be done: \(trouble.why)"]
        }
        played.append(.init(step: step, said: said))
        if let broken = stage.broken { return performance(.broken(line: line, broken)) }
      }
    } catch let trouble as TimedOut {
      if let broken = stage.broken { return performance(.broken(line: line, broken)) }
      return performance(gaveUp(line, trouble.what))
    }
    return performance(gaveUp(line, "a verdict"))
  }

  /// What does not go on may be broken, or have crashed, or be too little to judge.
  private mutating func gaveUp(_ line: Int, _ what: String) -> Performance.End {
    do { return .timedOut(line: line, what, try stage.judge()) } catch {
      return .timedOut(line: line, what, .unjudged(["could not be judged: \(error)"]))
    }
  }

  private func performance(_ end: Performance.End) -> Performance {
    Performance(scenario: scenario, played: played, end: end)
  }

  /// Every story starts with a wallet that was opened once, made the invoices, and was swiped away.
  private mutating func begin() throws {
    try stage.begin()
    try stage.make(.open)
    try wait(for: .connected(.app))
    for payment in scenario.payments {
      try stage.makeInvoice(payment)
      try wait("the invoice of payment \(payment.number)") { try $0.hasInvoice(payment.number) }
    }
    for invoice in scenario.invoices { try stage.makeExternalInvoice(invoice) }
    try make(.quit)
  }

  private mutating func perform(_ command: Command) throws -> [String] {
    switch command {
    case .make(let action): try make(action)
    case .wait(let condition): try wait(for: condition)
    case .pass(let span): try pass(span)
    case .ask(let question): return question.answer(in: try stage.look(), of: scenario)
    case .given, .verdict: break
    }
    return []
  }

  private mutating func make(_ action: StoryAction) throws {
    if let target = action.target { try wait(for: .runs(target)) }
    if case .payExpired(let number) = action { try wait(for: .invoiceExpired(number: number)) }
    try stage.make(action)
    switch action {
    case .quit: try wait(for: .ended(.app))
    case .freeze(let role), .freezeInside(let role): try wait(for: .frozen(role))
    default: break
    }
  }

  private mutating func wait(for condition: Condition) throws {
    try wait(condition.words) { condition.holds(in: try $0.look()) }
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
public struct Performance: Hashable, Sendable {
  public struct Played: Hashable, Sendable {
    public var step: Scenario.Step
    public var said: [String]

    public var differs: Bool { said != step.expected }
  }

  public enum End: Hashable, Sendable {
    /// Played to the last line.
    case played(StageVerdict)
    /// A wait timed out in that line; 0 is before the first. With the verdict on the run until then.
    case timedOut(line: Int, String, StageVerdict)
    case broken(line: Int, String)
  }

  public var scenario: Scenario
  public var played: [Played]
  public var end: End

  public var differences: [Played] { played.filter(\.differs) }

  /// Played to its last line, nothing is broken, all is settled and no process crashed.
  public var isSound: Bool { if case .played(.sound) = end { true } else { false } }

  /// The story's file with the actual answers in place of the expected ones; comments and empty lines stay.
  public var rewritten: String {
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
public protocol ScenarioStage {
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

extension ScenarioStage { public mutating func come(to step: Scenario.Step, comment: String?) {} }

/// The stage's verdict at the end of the story.
public enum StageVerdict: Hashable, Sendable {
  case sound(settled: Int, failed: Int)
  /// Nothing is broken, but not everything is settled.
  case unsettled([String])
  case broken([String])
  /// A process crashed by itself.
  case crashed([String])
  /// Evidence is missing, or cannot be read.
  case unjudged([String])

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
public struct CannotBeDone: Error, Hashable, Sendable {
  public var why: String

  public init(_ why: String) { self.why = why }
}
