import Ground

/// Who plays a story: the simulated world, or real processes. It acts and looks; what to wait for and what to say of it is
/// decided by whoever directs it.
public protocol ScenarioStage {
  /// Of the clock by which patience and pauses are counted.
  var now: Instant { get }
  /// A promise that was seen to break; then the story ends.
  var broken: String? { get }

  /// A phone that nobody has opened yet.
  mutating func begin() throws
  /// The user asks the app, which is connected, for an invoice.
  mutating func makeInvoice(_ payment: PlannedPayment) throws
  /// Somebody else makes an invoice, which the user is to pay.
  mutating func makeExternalInvoice(_ invoice: PlannedInvoice) throws
  /// Whether the wallet keeps that invoice for good.
  mutating func hasInvoice(_ number: Int) throws -> Bool
  mutating func look() throws -> Scene
  /// Lets something happen, but nothing later than that instant.
  mutating func goOn(until: Instant) throws
  mutating func make(_ deed: Deed) throws
  mutating func judge() throws -> StageVerdict
}

/// What a stage finds when the story is over.
public enum StageVerdict: Hashable, Sendable {
  case sound(settled: Int, failed: Int)
  /// Nothing is broken, but not everything was settled.
  case unsettled([String])
  case broken([String])
  /// A process ended by a mistake of its own.
  case crashed([String])

  /// As the story has it; what was found in detail is said beside it.
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
    }
  }
}

/// The stage cannot do what the story says, for a reason that is part of the story.
public struct CannotBeDone: Error, Hashable, Sendable {
  public var why: String

  public init(_ why: String) { self.why = why }
}
