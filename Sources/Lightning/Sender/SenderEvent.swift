import Ground

/// The events of a sender. Attempts count from 1; an answer about another attempt than the current one is ignored.
public enum SenderEvent: Hashable, Sendable {
  case deadlineReached
  /// The user asks for the payment, or for a new one after a failure. `invoiceExpiresAt` is on the machine's clock.
  case started(invoiceExpiresAt: Instant?, amountMsat: UInt64 = 0)
  case attemptAnswered(attempt: Int, AttemptAnswer)
  /// The connection broke before the attempt was answered, or the LSP could not be asked what became of it.
  case attemptLost(attempt: Int)
  /// What the LSP knows of a lost attempt.
  case attemptFound(attempt: Int, AttemptFate)
  case hintAnswered(attempt: Int, ForwardingHint)
  case hintFailed(attempt: Int, HintFailure)
}

/// The end of one attempt.
public enum AttemptAnswer: Hashable, Sendable {
  case settled
  /// By a node on the way or by the recipient.
  case failed(FailureCode)
  case notSent(SendFailure)
  /// The LSP does not take the request, with its sentence; nothing was sent.
  case refused(String)
  /// An earlier payment of the invoice is pending.
  case alreadyPending
  /// An earlier payment of the invoice is settled.
  case alreadyPaid
}

/// What became of an attempt that was lost.
public enum AttemptFate: Hashable, Sendable {
  /// The LSP has no such attempt, and will not get it any more.
  case neverArrived
  /// Held, or offered to the recipient.
  case inFlight
  case ended(AttemptAnswer)
}

/// Why an attempt was not sent.
public enum SendFailure: Error, Hashable, Sendable {
  /// No program listens where the LSP should.
  case notRunning
  /// The LSP's process is stopped, as by a debugger.
  case stopped
  /// It takes no further connection now.
  case busy
  /// Another user's program listens in the LSP's place.
  case foreign
  /// The system makes no connection, with its reason.
  case system(String)
  /// The connection broke before the attempt had reached the LSP.
  case neverArrived

  /// For the sender there is no way to the recipient.
  public var failureClass: FailureClass { .routeNotFound }

  /// Another user's program is asked once.
  public var mayPass: Bool { self != .foreign }
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
