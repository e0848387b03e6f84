import LightningIO

@testable import WalletProcess

/// A whole wallet on a real container and a real connection; the test plays the phone. It makes invoices as the
/// process around it does, and sends no presence messages.
final class TestWallet<Guard: GuardMachine & WalletGuard> {
  let container: WalletContainer
  private let wire: WalletWire
  private let invoices: InvoiceMaker
  private var runner: CoreRunner<WalletMachine<Guard>>!

  /// Called before each order is carried out.
  var willCarryOut: ((WalletDirective) -> Void)?
  private(set) var status: Status?
  /// The node's reports to the guard.
  private(set) var reports: [NodeReport] = []
  private(set) var answers: [String: RequestAnswer] = [:]
  private(set) var delivered: [NotificationContent] = []
  private(set) var ended: EndReason?

  init(
    _ scratch: ScratchContainer, _ shared: SharedContainer, _ secrets: WalletSecrets, loop: EventLoop,
    peer: PeerAddress? = nil
  ) throws {
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    container = WalletContainer(shared, secrets: secrets, loop: loop, clock: scratch.clock, journal: journal)
    wire = WalletWire(secrets: secrets, loop: loop, journal: journal, peer: peer)
    invoices = InvoiceMaker(secrets: secrets, clock: scratch.clock, peer: peer?.node)
    let wallet = WalletMachine(
      guardrail: Guard(configuration: GuardConfiguration()), node: NodeMachine.Configuration(),
      background: nil)
    runner = CoreRunner(
      wallet, loop: loop, clock: scratch.clock,
      think: { [unowned self] wallet, event, now in
        var observer = ReportObserver<Guard>()
        defer { reports += observer.reports }
        return wallet.handle(event, at: now, &observer)
      },
      carryOutAll: { [unowned self] directives in
        for directive in directives { carryOut(directive) }
      })
    container.onEvent = { [unowned self] in runner.handle($0) }
    wire.onEvent = { [unowned self] in runner.handle(.node($0)) }
    wire.channel = { [unowned self] in runner.core.node.durableChannel }
    wire.tweak = { [unowned self] in container.tweak(of: $0) }
  }

  var node: NodeMachine { runner.core.node }

  func handle(_ events: GuardEvent...) { for event in events { runner.handle(.guardrail(event)) } }

  func ask(_ id: String, _ request: Request) { runner.handle(.requests(.asked(id, request))) }

  /// Closes the connection at once, as the kernel does for a killed process.
  func die() { wire.carryOut(.cutOff) }

  private func carryOut(_ directive: WalletDirective) {
    willCarryOut?(directive)
    switch directive {
    case .container(let order): container.carryOut(order)
    case .wire(let order): wire.carryOut(order)
    case .phone(let order): carryOut(order)
    }
  }

  private func carryOut(_ order: PhoneOrder) {
    switch order {
    case .guardrail(.show(let status)): self.status = status
    case .guardrail(.deliver(_, let outcome)): delivered.append(NotificationContent(outcome, of: .phoenix))
    case .answer(let id, let answer): answers[id] = answer
    case .guardrail(.end(let reason)): ended = reason
    case .makeInvoice(let id, let amountMsat, let text, let expirySeconds):
      do throws(InvoiceError) {
        let invoice = try invoices.make(
          for: id, amountMsat: amountMsat, text: text, expirySeconds: expirySeconds)
        runner.handle(.requests(.invoiceMade(id, invoice)))
      } catch { runner.handle(.requests(.invoiceNotMade(id, error.description))) }
    default: break
    }
  }
}

extension TestWallet where Guard == AppMachine {
  /// Launches the app into the foreground.
  func open() { handle(.launched, .enteredForeground) }
}

private struct ReportObserver<Guard: WalletGuard>: WalletObserver {
  var reports: [NodeReport] = []

  mutating func willHandle(_ event: GuardEvent, _: Guard) {
    if case .node(let report) = event { reports.append(report) }
  }
}
