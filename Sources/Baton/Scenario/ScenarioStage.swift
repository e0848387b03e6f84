import Ground

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

extension ScenarioStage {
  public mutating func come(to step: Scenario.Step, comment: String?) {}
}

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
