import DaemonRuntime
import Ground
import LightningWire
import PhoneClient
import Sender

/// One attempt at lspd, until it has an answer. While lspd is gone the attempt may be under way: it is asked for until
/// lspd is back.
final class Attempt {
  enum End {
    case answered(AttemptAnswer, PaymentAnswer?)
    /// lspd refused the request itself.
    case refused(ControlClientError)
  }

  private enum Question {
    case pay
    /// Whether the request has reached lspd.
    case find
    case end
  }

  private static let pauseBeforeReconnecting = TimeSpan.milliseconds(100)

  private let request: ControlMessage
  private let hash: String
  private let path: String
  private let loop: EventLoop
  /// lspd's number of the payer's newest payment before this attempt; lspd's numbers grow.
  private let earlier: UInt64
  private let onHeld: (PaymentAnswer) -> Void
  private let onEnd: (End) -> Void
  private var connection: UnixConnection?
  private var question = Question.pay
  private var hasEnded = false
  private(set) var number: UInt64?

  init(
    _ request: ControlMessage, hash: String, after earlier: UInt64, path: String, loop: EventLoop,
    onHeld: @escaping (PaymentAnswer) -> Void, onEnd: @escaping (End) -> Void
  ) {
    self.request = request
    self.hash = hash
    self.earlier = earlier
    self.path = path
    self.loop = loop
    self.onHeld = onHeld
    self.onEnd = onEnd
  }

  func begin() {
    // Without a connection nothing was sent.
    if !connect() { loop.post { [self] in end(.answered(.notSent(.routeNotFound), nil)) } }
  }

  /// The payer no longer waits for the outcome.
  func abandon() {
    hasEnded = true
    connection?.close()
  }

  private func connect() -> Bool {
    guard let connection = UnixConnection.connect(path: path, loop: loop) else { return false }
    self.connection = connection
    connection.onMessage = { [unowned self] in heard($0) }
    connection.onEnd = { [unowned self] _ in
      if !hasEnded { loop.after(Self.pauseBeforeReconnecting) { [self] in reconnect() } }
    }
    connection.start()
    ask()
    return true
  }

  private func reconnect() {
    guard !hasEnded else { return }
    if question == .pay { question = .find }
    if !connect() { loop.after(Self.pauseBeforeReconnecting) { [self] in reconnect() } }
  }

  private func ask() {
    var message = request
    if question != .pay {
      message = ControlMessage("await", ["payment-hash": hash, "wait": question == .end ? "yes" : "no"])
      message["payment"] = number.map { "\($0)" }
    }
    connection?.send(message)
  }

  private func heard(_ message: ControlMessage) {
    guard !hasEnded else { return }
    if let sentence = message.errorSentence {
      // lspd knows no payment of this hash, so the request did not reach it.
      if question == .find { return end(.answered(.notSent(.routeNotFound), nil)) }
      return end(.refused(.refused(sentence)))
    }
    let answer = PaymentAnswer(message)
    let found = answer.payment.flatMap { UInt64($0) }
    if question == .find, let found, found <= earlier {
      return end(.answered(.notSent(.routeNotFound), nil))
    }
    number = found
    if let outcome = answer.attemptAnswer { return end(.answered(outcome, answer)) }
    if question == .pay { onHeld(answer) }
    question = .end
    ask()
  }

  private func end(_ end: End) {
    guard !hasEnded else { return }
    hasEnded = true
    connection?.close()
    onEnd(end)
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
