import ForwardingHint
import Ground
import LightningWire

/// The events of a sender. Attempts count from 1; an answer about another attempt than the current one is ignored.
public enum SenderEvent: Hashable, Sendable {
  case deadlineReached
  /// The user asks for the payment, or for a new one after a failure. `invoiceExpiresAt` is on the machine's clock.
  case started(invoiceExpiresAt: Instant?)
  case attemptAnswered(attempt: Int, AttemptAnswer)
  case hintAnswered(attempt: Int, ForwardingHint)
  case hintFailed(attempt: Int, HintFailure)
}

/// The end of one attempt.
public enum AttemptAnswer: Hashable, Sendable {
  case settled
  /// By a node on the way or by the recipient.
  case failed(FailureCode)
  /// Nothing was sent.
  case notSent(FailureClass)
  /// An earlier payment of the invoice is pending.
  case alreadyPending
  /// An earlier payment of the invoice is settled.
  case alreadyPaid
}

/// Why there is no hint.
public enum HintFailure: Error, Hashable, Sendable {
  /// No server is known, or it cannot be reached.
  case unreachable
  /// It answered with another status than 200.
  case refused(status: Int)
  case silent
  case tooLong
  case noHint(ForwardingHintError)
}
