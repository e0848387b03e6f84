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

/// One attempt at lspd: by its id lspd finds it after the connection broke.
final class Attempt {
  enum Event {
    /// lspd holds the payment, or has offered it.
    case taken(PaymentAnswer)
    case answered(AttemptAnswer, PaymentAnswer?)
    /// With lspd's sentence, if it has said one.
    case lost(String?)
    case found(AttemptFate, PaymentAnswer?)
  }

  private let request: ControlMessage
  let id: String
  private let phone: Phone
  private let loop: EventLoop
  private let onEvent: (Event) -> Void
  private var connection: UnixConnection?
  /// lspd is asked what became of the attempt, and has not answered.
  private var isFinding = false
  /// lspd has the payment: a later error is about a question, and no outcome.
  private var isTaken = false
  private var hasEnded = false

  init(_ request: ControlMessage, phone: Phone, loop: EventLoop, onEvent: @escaping (Event) -> Void) {
    self.request = request
    id = request["attempt-id"] ?? ""
    self.phone = phone
    self.loop = loop
    self.onEvent = onEvent
  }

  /// Sends it.
  func begin() {
    do throws(ControlClientError) { try open(request) } catch {
      let failure = SendFailure(error)
      loop.post { [self] in end(.answered(.notSent(failure), nil)) }
    }
  }

  /// Asks what became of it.
  func find() {
    isFinding = true
    do throws(ControlClientError) {
      try open(question(waits: false))
    } catch { loop.post { [self] in tell(.lost(nil)) } }
  }

  /// The payer no longer waits for the outcome.
  func abandon() {
    hasEnded = true
    leave()
  }

  private func question(waits: Bool) -> ControlMessage {
    ControlMessage("await", ["attempt-id": id, "wait": waits ? "yes" : "no"])
  }

  private func open(_ message: ControlMessage) throws(ControlClientError) {
    leave()
    let connection = try UnixConnection.connect(path: phone.lspdSocket, to: "lspd", loop: loop)
    if let stopped = StoppedDaemon(.lspd, pid: connection.peer.pid) {
      connection.close()
      throw .stopped(stopped.description)
    }
    self.connection = connection
    connection.onMessage = { [unowned self] in heard($0) }
    connection.onEnd = { [unowned self] _ in tell(.lost(nil)) }
    connection.start()
    connection.send(message)
  }

  private func leave() {
    connection?.onMessage = nil
    connection?.onEnd = nil
    connection?.close()
    connection = nil
  }

  private func heard(_ message: ControlMessage) {
    if let sentence = message.errorSentence {
      // Only an error with the attempt's id is about this request; else lspd ends the connection, as to make room, or
      // another lspd is at work on the attempt.
      guard message["attempt-id"] == id, !isFinding, !isTaken else {
        leave()
        return tell(.lost(sentence))
      }
      return end(.answered(.refused(sentence), nil))
    }
    let answer = PaymentAnswer(message)
    if answer.state == PaymentAnswer.neverArrived { return end(.found(.neverArrived, nil)) }
    if let outcome = answer.attemptAnswer {
      return end(isFinding ? .found(.ended(outcome), answer) : .answered(outcome, answer))
    }
    let event = isFinding ? Event.found(.inFlight, answer) : .taken(answer)
    isFinding = false
    isTaken = true
    connection?.send(question(waits: true))
    tell(event)
  }

  private func tell(_ event: Event) { if !hasEnded { onEvent(event) } }

  private func end(_ event: Event) {
    guard !hasEnded else { return }
    hasEnded = true
    leave()
    onEvent(event)
  }
}

extension SendFailure {
  init(_ error: ControlClientError) {
    switch error {
    case .notRunning: self = .notRunning
    case .stopped: self = .stopped
    case .timedOut: self = .busy
    case .foreign: self = .foreign
    case .hungUp, .refused, .outcomeUnknown, .malformed, .system: self = .system(error.description)
    }
  }
}

extension PaymentAnswer {
  /// Nil while the payment is pending.
  var attemptAnswer: AttemptAnswer? {
    switch state {
    case "settled": .settled
    case "failed":
      switch reason {
      case "already-pending": .alreadyPending
      case "already-paid": .alreadyPaid
      // A failure without a code may pass.
      default: .failed(failure ?? FailureCode(rawValue: FailureCode.temporaryChannelFailure))
      }
    default: nil
    }
  }
}
