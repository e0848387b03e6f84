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

/// How a sender reacts to a failed attempt.
public enum RetryPolicy: String, Hashable, Codable, Sendable, CaseIterable {
  /// It asks the recipient's LSP for a hint after each failure that may pass.
  case hint
  /// Without hints: 1, 3 and 7 s between attempts.
  case interim
  /// One attempt.
  case off
}

/// The settings of one payment.
public struct SenderSettings: Hashable, Codable, Sendable {
  public static let attemptsMost = 4
  public static let shortestDeadline = TimeSpan.seconds(10)
  public static let longestDeadline = TimeSpan.seconds(15)
  public static let standardDeadline = TimeSpan.seconds(12)
  /// How long the LSP holds an attempt for a recipient that is away: less than the deadline, so that it comes back in
  /// time for another one (K-12).
  public static let standardHold = TimeSpan.seconds(10)

  public let policy: RetryPolicy
  /// From the start of the payment: no attempt begins later, and the sender has its answer by then. Nil, only with
  /// `off`: it waits until the attempt has ended.
  public let deadline: TimeSpan?
  public let attempts: Int
  /// Of the random parts of the gaps.
  public let seed: UInt64
  /// What the sender has; nothing above is sent. Nil: it has enough.
  public let spendableMsat: UInt64?

  /// With `off` the deadline is the `patience`; else values outside of 10 to 15 s and of 1 to 4 attempts become the
  /// nearest allowed ones.
  public init(
    _ policy: RetryPolicy, deadline: TimeSpan = Self.standardDeadline, attempts: Int = Self.attemptsMost,
    seed: UInt64, patience: TimeSpan? = nil, spendableMsat: UInt64? = nil
  ) {
    self.policy = policy
    let bounded = min(max(deadline, Self.shortestDeadline), Self.longestDeadline)
    self.deadline = policy == .off ? patience : bounded
    self.attempts = policy == .off ? 1 : min(max(attempts, 1), Self.attemptsMost)
    self.seed = seed
    self.spendableMsat = spendableMsat
  }
}
