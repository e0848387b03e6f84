import Ground
import Guardrails

/// Collects the results of one event: events for other parts, and orders for the ports.
struct WalletTurn {
  /// An event for one part of the wallet.
  enum PartEvent {
    case guardrail(GuardEvent)
    case node(NodeEvent)
    case requests(RequestEvent)
    case background(BackgroundEvent)
    case incoming(IncomingEvent)
    case opening(OpeningEvent)
  }

  let now: Instant
  private var events: ArraySlice<PartEvent> = []
  private var orders: [WalletDirective] = []
  /// Carried out last: see `directives`.
  private var settles = false
  private var lastOrders: [WalletDirective] = []

  init(at now: Instant) { self.now = now }

  /// The log is checkpointed after every other order, as no process waits for it. Only then come the orders after
  /// which iOS may suspend or end the process: suspended in the checkpoint, it would hold a lock and be killed for
  /// it.
  var directives: [WalletDirective] { orders + (settles ? [.container(.settle)] : []) + lastOrders }

  mutating func next() -> PartEvent? { events.popFirst() }

  mutating func tell(_ event: PartEvent) { events.append(event) }

  mutating func order(_ order: ContainerOrder) { orders.append(.container(order)) }
  mutating func order(_ order: WireOrder) { orders.append(.wire(order)) }
  mutating func order(_ order: PhoneOrder) { orders.append(.phone(order)) }

  /// The guard's orders for the ports.
  mutating func take(_ directive: GuardDirective) {
    if directive == .settle { return settles = true }
    let order = Self.order(for: directive)
    if directive.mayEndProcess { lastOrders.append(order) } else { orders.append(order) }
  }

  private static func order(for directive: GuardDirective) -> WalletDirective {
    switch directive {
    case .raiseIntent: .container(.raiseIntent)
    case .withdrawIntent: .container(.withdrawIntent)
    case .look: .container(.look)
    case .claim(let seen, let reason): .container(.claim(seen: seen, reason: reason))
    case .raiseEpoch(let claim, let known, let replaced):
      .container(.raiseEpoch(claim, above: known, replacing: replaced))
    case .readRow: .container(.readRow)
    case .beat(let epoch, let phase, let counter):
      .container(.beat(epoch: epoch, phase: phase, counter: counter))
    case .dropLock: .container(.dropLock)
    case .settle: .container(.settle)
    case .storeIncoming(let record, let push): .container(.storeIncoming(record, push: push))
    case .say(let message): .phone(.say(message))
    case .show(let status): .phone(.show(status))
    case .mayConnect(let targets): .phone(.mayConnect(targets))
    case .deliver(let push, let outcome): .phone(.deliver(push: push, outcome))
    case .finished(let push, let reason): .phone(.finished(push: push, reason))
    case .completed(let push, let outcome): .phone(.completed(push: push, outcome))
    case .noteFailure(let failure): .phone(.noteFailure(failure))
    case .backgroundDone: .phone(.backgroundDone)
    case .beginBackgroundTask(let id, let name): .phone(.beginBackgroundTask(id, name: name))
    case .endBackgroundTask(let id): .phone(.endBackgroundTask(id))
    case .end(let reason): .phone(.end(reason))
    case .startNode, .stopNode, .acceptNoNewPayment, .endLongPause:
      preconditionFailure("the node is inside the wallet")
    case .readReceived: preconditionFailure("only the wallet knows since when")
    case .notify, .withdraw: preconditionFailure("only the wallet knows what its notifications replace")
    }
  }
}
