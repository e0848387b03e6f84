import Ground
import Guardrails
import Lightning

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
  mutating func tell(_ word: RequestEvent.NodeWord) { words.append(.requests(.node(word))) }

  mutating func order(_ order: ContainerOrder) { orders.append(.container(order)) }
  mutating func order(_ order: WireOrder) { orders.append(.wire(order)) }
  mutating func order(_ order: PhoneOrder) { orders.append(.phone(order)) }

  /// What the guard orders outside.
  mutating func take(_ directive: GuardDirective) {
    switch directive {
    case .raiseWish: order(.raiseWish)
    case .withdrawWish: order(.withdrawWish)
    case .look: order(.look)
    case .claim(let seen, let reason): order(.claim(seen: seen, reason: reason))
    case .raiseEpoch(let claim, let known, let replaced):
      order(.raiseEpoch(claim, above: known, replacing: replaced))
    case .readRow: order(.readRow)
    case .beat(let epoch, let phase, let counter):
      order(.beat(epoch: epoch, phase: phase, counter: counter))
      if phase == .established { settles = true }
    case .dropLock:
      order(.dropLock)
      settles = true
    case .say(let message): order(.say(message))
    case .show(let status): order(.show(status))
    case .mayConnect(let targets): order(.mayConnect(targets))
    case .deliver(let push, let outcome): order(.deliver(push: push, outcome))
    case .notify(let payment): order(.notify(payment))
    case .withdraw(let payment): order(.withdraw(payment: payment))
    case .finished(let push, let reason): order(.finished(push: push, reason))
    case .completed(let push, let outcome): farewells.append(.phone(.completed(push: push, outcome)))
    case .noteFailure(let failure): order(.noteFailure(failure))
    case .backgroundDone: order(.backgroundDone)
    case .beginBackgroundTask(let id, let name): order(.beginBackgroundTask(id, name: name))
    case .endBackgroundTask(let id): farewells.append(.phone(.endBackgroundTask(id)))
    case .end(let reason): farewells.append(.phone(.end(reason)))
    case .startNode, .stopNode, .acceptNoNewPayment, .endLongPause:
      preconditionFailure("the node is inside the wallet")
    case .readReceived: preconditionFailure("only the wallet knows since when")
    }
  }
}
