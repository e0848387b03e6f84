import DaemonRuntime
import Ground
import Lightning

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
      guard message["attempt-id"] == id, !isFinding, !isTaken else { return drop(sentence) }
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

  private func drop(_ sentence: String) {
    leave()
    tell(.lost(sentence))
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
