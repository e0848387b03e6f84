import Ground
import Guardrails

/// An event of a wallet: a port's report, addressed to the part that it concerns.
///
/// Events between the parts are not here: the node's reports, tasks and starts never come from outside.
public enum WalletEvent: Hashable, Sendable {
  case deadlineReached
  /// The epoch is claimed, and this state was read in the claim.
  case claimed(Claim, NodeState)
  /// The number of the newest payment when this push arrived; 0 without one.
  case receivedMarked(push: UInt64, newest: Int64)
  case guardrail(GuardEvent)
  case node(NodeEvent)
  case requests(RequestEvent)
  case background(BackgroundEvent)
  case incoming(IncomingEvent)
  case opening(OpeningEvent)
}

/// The guard of a wallet: that of the app or of the extension.
public protocol WalletGuard: Machine where Event == GuardEvent, Directive == GuardDirective {
  var role: Role { get }
}

extension WalletGuard where Self: GuardMachine {
  public var role: Role { Self.role }
}

extension AppMachine: WalletGuard {}
extension ExtensionMachine: WalletGuard {}

/// An event of one part of a wallet, and what the part ordered.
public enum PartRecord: Hashable, Sendable {
  case guardrail(GuardEvent, [GuardDirective])
  case node(NodeEvent, [NodeDirective])
  case requests(RequestEvent, [RequestDirective])
  case background(BackgroundEvent, [BackgroundDirective])
  // Only in a wallet whose app completes what its extension announces.
  case incoming(IncomingEvent, [IncomingDirective])
  case opening(OpeningEvent, [OpeningDirective])
}

/// An observer of a wallet: a journal, or a simulation. Each part is a core of its own and is recorded as one, in the
/// order in which the parts handled their events.
public protocol WalletObserver {
  associatedtype Guard: WalletGuard

  mutating func willHandle(_ event: GuardEvent, _ guardrail: Guard)
  mutating func willHandle(_ event: NodeEvent, _ node: NodeMachine)
  mutating func handled(_ record: PartRecord, _ guardrail: Guard, _ node: NodeMachine)
}

extension WalletObserver {
  public mutating func willHandle(_: GuardEvent, _: Guard) {}
  public mutating func willHandle(_: NodeEvent, _: NodeMachine) {}
  public mutating func handled(_: PartRecord, _: Guard, _: NodeMachine) {}
}

/// No observer.
public struct Unobserved<Guard: WalletGuard>: WalletObserver { public init() {} }
