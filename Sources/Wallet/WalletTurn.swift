import Ground
import Guardrails
import LightningNode

/// What one event leads to: who has still to think about what, and what is to be done outside.
struct WalletTurn {
  /// For one part of the wallet.
  enum Word {
    case guardrail(GuardEvent)
    case node(NodeEvent)
    case requests(RequestEvent)
    case background(BackgroundEvent)
  }

  let now: Instant
  private var words: ArraySlice<Word> = []
  private var orders: [WalletDirective] = []
  /// What comes behind everything else: see `directives`.
  private var settles = false
  private var farewells: [WalletDirective] = []

  init(at now: Instant) { self.now = now }

  /// The log is brought into the database when nobody waits for that: behind everything else. Only then does the phone hear
  /// that it may stop this process: who is stopped in the midst of it holds a lock, and is killed for it.
  var directives: [WalletDirective] { orders + (settles ? [.container(.settle)] : []) + farewells }

  mutating func next() -> Word? { words.popFirst() }

  mutating func tell(_ word: Word) { words.append(word) }

  mutating func order(_ order: ContainerOrder) { orders.append(.container(order)) }
  mutating func order(_ order: WireOrder) { orders.append(.wire(order)) }
  mutating func order(_ order: PhoneOrder) { orders.append(.phone(order)) }

  /// What the guard orders outside.
  mutating func take(_ directive: GuardDirective) {
    settles = settles || directive.leavesLogToSettle
    let order = Self.order(for: directive)
    if directive.mayEndProcess { farewells.append(order) } else { orders.append(order) }
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
    case .say(let message): .phone(.say(message))
    case .show(let status): .phone(.show(status))
    case .mayConnect(let targets): .phone(.mayConnect(targets))
    case .deliver(let push, let outcome): .phone(.deliver(push: push, outcome))
    case .notify(let payment): .phone(.notify(payment))
    case .withdraw(let payment): .phone(.withdraw(payment: payment))
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
    }
  }
}
