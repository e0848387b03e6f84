import DaemonRuntime
import Ground
import Guardrails
import Wallet

/// Records each part of the wallet as a core of its own, in the order in which they handled their events: each can be
/// replayed alone, and readers and the judge see each part's work.
struct WalletJournal<Guard: GuardMachine & WalletGuard>: WalletObserver {
  let journal: Journal
  let now: Instant

  func willHandle(_: GuardEvent, _: Guard) {}
  func willHandle(_: NodeEvent, _: NodeMachine) {}

  func handled(_ event: GuardEvent, _ directives: [GuardDirective], _: Guard) {
    journal.record(Guard.self, event: event, at: now, directives: directives)
  }

  func handled(_ event: NodeEvent, _ directives: [NodeDirective], _: NodeMachine) {
    journal.record(NodeMachine.self, event: event, at: now, directives: directives)
  }

  func handled(_ event: RequestEvent, _ directives: [RequestDirective]) {
    journal.record(Requests.self, event: event, at: now, directives: directives)
  }

  func handled(_ event: BackgroundEvent, _ directives: [BackgroundDirective]) {
    journal.record(BackgroundWork.self, event: event, at: now, directives: directives)
  }

  func handled(_ event: IncomingEvent, _ directives: [IncomingDirective]) {
    journal.record(IncomingPayments.self, event: event, at: now, directives: directives)
  }

  func handled(_ event: OpeningEvent, _ directives: [OpeningDirective]) {
    journal.record(Opening.self, event: event, at: now, directives: directives)
  }

  /// Runs a wallet and journals it.
  static func runner(
    _ configuration: GuardConfiguration, _ node: NodeMachine.Configuration, _ habits: BackgroundWork.Habits?,
    completes: Bool = false, loop: EventLoop, clock: Clock, journal: Journal,
    carryOutAll: @escaping ([WalletDirective]) -> Void
  ) -> CoreRunner<WalletMachine<Guard>> {
    journal.record(NodeMachine.self, configuration: node)
    journal.record(Guard.self, configuration: configuration)
    journal.record(Requests.self, configuration: Requests.Configuration())
    if habits != nil { journal.record(BackgroundWork.self, configuration: habits) }
    if completes {
      journal.record(IncomingPayments.self, configuration: IncomingPayments.Configuration())
      journal.record(Opening.self, configuration: Opening.Configuration())
    }
    let wallet = WalletMachine(
      guardrail: Guard(configuration: configuration), node: node, background: habits, completes: completes)
    return CoreRunner(
      wallet, loop: loop, clock: clock,
      think: { wallet, event, now in
        var observer = WalletJournal(journal: journal, now: now)
        return wallet.handle(event, at: now, &observer)
      }, carryOutAll: carryOutAll)
  }
}
