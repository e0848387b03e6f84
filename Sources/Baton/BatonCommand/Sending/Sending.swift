import DaemonRuntime
import Ground
import PhoneClient
import Sender

/// One payment of an invoice by a sender: carries out what `SenderMachine` decides.
final class Sending {
  enum Event {
    case began(attempt: Int)
    /// lspd holds the attempt for an offline wallet.
    case held(PaymentAnswer)
    case failed(attempt: Int, AttemptAnswer)
    case report(SenderReport)
    case refused(ControlClientError)
  }

  let invoice: PayableInvoice
  let settings: SenderSettings
  private let hints: HintServer
  private let phone: Phone
  private let loop: EventLoop
  private let holdSeconds: Int64?
  private var machine: SenderMachine
  private var attempt: Attempt?
  private var timer: LoopTimer?
  /// lspd's highest number of an attempt.
  private var newest: UInt64 = 0
  /// The last answer with details, such as the preimage.
  private(set) var answer: PaymentAnswer?
  var onEvent: (Event) -> Void = { _ in }

  init(
    _ invoice: PayableInvoice, _ settings: SenderSettings, holdSeconds: Int64?, hints: HintServer,
    phone: Phone, loop: EventLoop
  ) {
    self.invoice = invoice
    self.settings = settings
    self.holdSeconds = holdSeconds
    self.hints = hints
    self.phone = phone
    self.loop = loop
    machine = SenderMachine(settings)
  }

  var attempts: Int { machine.attempt }

  /// Stops listening; a payment that is under way goes on.
  func stop() {
    attempt?.abandon()
    timer?.cancel()
  }

  func start() {
    let left = invoice.expiresAtWallSeconds.multipliedReportingOverflow(by: 1_000_000_000)
    let expiresIn = left.overflow ? nil : left.partialValue - Clock().wallNanoseconds
    handle(.started(invoiceExpiresAt: expiresIn.map { loop.now + TimeSpan(nanoseconds: $0) }))
  }

  private func handle(_ event: SenderEvent) {
    let directives = machine.handle(event, at: loop.now)
    arm()
    for directive in directives { carryOut(directive) }
  }

  private func arm() {
    guard timer?.instant != machine.deadline || timer?.isPending == false else { return }
    timer?.cancel()
    timer = machine.deadline.map { loop.at($0) { [unowned self] in handle(.deadlineReached) } }
  }

  private func carryOut(_ directive: SenderDirective) {
    switch directive {
    case .attempt(let number): begin(number)
    case .askHint(let number):
      hints.ask(about: invoice.payee, amountMsat: invoice.amountMsat) { [weak self] hint in
        switch hint {
        case .success(let hint): self?.handle(.hintAnswered(attempt: number, hint))
        case .failure(let why): self?.handle(.hintFailed(attempt: number, why))
        }
      }
    case .report(let report): onEvent(.report(report))
    }
  }

  private func begin(_ number: Int) {
    onEvent(.began(attempt: number))
    var request = invoice.payRequest(waits: false, holdSeconds: holdSeconds)
    request["attempt"] = "\(number)"
    let attempt = Attempt(
      request, hash: invoice.paymentHash.hex, after: newest, path: phone.lspdSocket, loop: loop,
      onHeld: { [unowned self] in
        if $0.state == "held" { onEvent(.held($0)) }
      },
      onEnd: { [unowned self] in ended(number, $0) })
    self.attempt = attempt
    attempt.begin()
  }

  private func ended(_ number: Int, _ end: Attempt.End) {
    newest = max(newest, attempt?.number ?? 0)
    switch end {
    case .refused(let error):
      stop()
      onEvent(.refused(error))
    case .answered(let outcome, let answer):
      if let answer { self.answer = answer }
      switch outcome {
      case .failed, .notSent: onEvent(.failed(attempt: number, outcome))
      case .settled, .alreadyPending, .alreadyPaid: break
      }
      handle(.attemptAnswered(attempt: number, outcome))
    }
  }
}
