import DaemonRuntime
import Ground
import Lightning

/// One payment of an invoice by a sender: carries out what `SenderMachine` decides.
final class Sending {
  enum Event {
    case began(attempt: Int)
    /// lspd holds the attempt for an offline wallet.
    case held(PaymentAnswer)
    case failed(attempt: Int, AttemptAnswer)
    /// The connection broke, or lspd has an error for it; lspd is asked for the attempt until the deadline.
    case lost(attempt: Int, String?)
    case report(SenderReport)
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
  /// Whether the attempt has reached lspd is unknown.
  private(set) var isLost = false
  /// The loss of the current attempt was told: each question that cannot be asked, or is answered by an error, is one
  /// more.
  private var isLossTold = false
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
    handle(
      .started(
        invoiceExpiresAt: expiresIn.map { loop.now + TimeSpan(nanoseconds: $0) },
        amountMsat: invoice.amountMsat))
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
    case .find: attempt?.find()
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
    (isLost, isLossTold) = (false, false)
    var request = invoice.payRequest(waits: false, holdSeconds: holdSeconds)
    request["attempt"] = "\(number)"
    let attempt = Attempt(request, phone: phone, loop: loop) { [unowned self] in heard($0, of: number) }
    self.attempt = attempt
    onEvent(.began(attempt: number))
    attempt.begin()
  }

  private func heard(_ event: Attempt.Event, of number: Int) {
    switch event {
    case .taken(let answer): if answer.state == "held" { onEvent(.held(answer)) }
    case .lost(let sentence):
      if !isLossTold { onEvent(.lost(attempt: number, sentence)) }
      (isLost, isLossTold) = (true, true)
      handle(.attemptLost(attempt: number))
    case .answered(let outcome, let answer):
      note(outcome, answer, of: number)
      handle(.attemptAnswered(attempt: number, outcome))
    case .found(let fate, let answer):
      isLost = false
      switch fate {
      case .ended(let outcome): note(outcome, answer, of: number)
      case .neverArrived: note(.notSent(.neverArrived), nil, of: number)
      case .inFlight: break
      }
      handle(.attemptFound(attempt: number, fate))
    }
  }

  private func note(_ outcome: AttemptAnswer, _ answer: PaymentAnswer?, of number: Int) {
    if let answer { self.answer = answer }
    switch outcome {
    case .failed, .notSent: onEvent(.failed(attempt: number, outcome))
    case .settled, .alreadyPending, .alreadyPaid, .refused: break
    }
  }
}
