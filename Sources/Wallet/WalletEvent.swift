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

/// An observer of a wallet: a journal, or a simulation. Each part is a core of its own and is recorded as one, in the
/// order in which the parts handled their events.
public protocol WalletObserver {
  associatedtype Guard: WalletGuard

  mutating func willHandle(_ event: GuardEvent, _ guardrail: Guard)
  mutating func handled(_ event: GuardEvent, _ directives: [GuardDirective], _ guardrail: Guard)
  mutating func willHandle(_ event: NodeEvent, _ node: NodeMachine)
  mutating func handled(_ event: NodeEvent, _ directives: [NodeDirective], _ node: NodeMachine)
  mutating func handled(_ event: RequestEvent, _ directives: [RequestDirective])
  mutating func handled(_ event: BackgroundEvent, _ directives: [BackgroundDirective])
  // Only in a wallet whose app completes what its extension announces.
  mutating func handled(_ event: IncomingEvent, _ directives: [IncomingDirective])
  mutating func handled(_ event: OpeningEvent, _ directives: [OpeningDirective])
}

extension WalletObserver {
  public mutating func willHandle(_: GuardEvent, _: Guard) {}
  public mutating func handled(_: GuardEvent, _: [GuardDirective], _: Guard) {}
  public mutating func willHandle(_: NodeEvent, _: NodeMachine) {}
  public mutating func handled(_: NodeEvent, _: [NodeDirective], _: NodeMachine) {}
  public mutating func handled(_: RequestEvent, _: [RequestDirective]) {}
  public mutating func handled(_: BackgroundEvent, _: [BackgroundDirective]) {}
  public mutating func handled(_: IncomingEvent, _: [IncomingDirective]) {}
  public mutating func handled(_: OpeningEvent, _: [OpeningDirective]) {}
}

/// No observer.
public struct Unobserved<Guard: WalletGuard>: WalletObserver { public init() {} }
