import Ground

/// Orders to the code around a sender. `SenderMachine.deadline` says when to wake it.
public enum SenderDirective: Hashable, Sendable {
  /// Answered by `attemptAnswered` or `attemptLost`.
  case attempt(Int)
  /// Ask the LSP what became of this attempt. Answered by `attemptFound` or `attemptLost`; after `inFlight` also by
  /// `attemptAnswered`.
  case find(attempt: Int)
  /// Answered by `hintAnswered` or `hintFailed`, and ignored after `SenderMachine.hintPatience`.
  case askHint(attempt: Int)
  case report(SenderReport)
}

/// What the user is told.
public enum SenderReport: Hashable, Sendable {
  case retrying(SenderRetry)
  /// The next attempt would begin too late.
  case skipped(attempt: Int)
  case settled
  case failed(SenderFailure)
  /// The deadline is over with an attempt under way: the payment may still settle.
  case pending
  /// An earlier payment of the invoice is pending, or settled; nothing was sent.
  case alreadyPending
  case alreadyPaid
  /// The LSP does not take the request, with its sentence.
  case refused(String)

  /// Nothing follows: for `pending` only if its attempt is answered.
  public var isFinal: Bool {
    switch self {
    case .retrying, .skipped, .pending: false
    case .settled, .failed, .alreadyPending, .alreadyPaid, .refused: true
    }
  }
}

/// The next attempt, and when it begins.
public struct SenderRetry: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case schedule
    case hint(ForwardingHint)
    /// The schedule in place of a hint.
    case noHint(HintFailure)
  }

  public var attempt: Int
  public var of: Int
  /// The time until then.
  public var after: TimeSpan
  /// The time from the end of the attempt before until then.
  public var gap: TimeSpan
  public var cause: Cause
}

/// A failed payment, with its last error.
public struct SenderFailure: Hashable, Sendable {
  public enum End: Hashable, Sendable {
    /// Another attempt would fail too.
    case final
    /// The policy allows no further attempt.
    case noMoreAttempts
    /// The next attempt would begin too late, or the last one ended too late.
    case deadline
    /// The recipient's LSP advises against it.
    case hint(ForwardingHint)
  }

  public var failure: FailureClass
  /// Nil if nothing was sent.
  public var code: FailureCode?
  /// Why the last attempt was not sent; nil if it was.
  public var notSent: SendFailure?
  /// Those that began.
  public var attempts: Int
  public var end: End

  public init(
    failure: FailureClass, code: FailureCode? = nil, notSent: SendFailure? = nil, attempts: Int = 1,
    end: End = .final
  ) {
    self.failure = failure
    self.code = code
    self.notSent = notSent
    self.attempts = attempts
    self.end = end
  }

  /// Of one attempt.
  public init(_ answer: AttemptAnswer) {
    self.init(failure: .routeNotFound)
    switch answer {
    case .failed(let code): (failure, self.code) = (code.failureClass, code)
    case .notSent(let why): (failure, notSent) = (why.failureClass, why)
    case .settled, .alreadyPending, .alreadyPaid, .refused: break
    }
  }

  /// Whether another attempt may have another end.
  var mayPass: Bool { failure.mayPass && notSent?.mayPass ?? true }
}
