import Guardrails

/// An event of the opening.
public enum OpeningEvent: Hashable, Codable, Sendable {
  case deadlineReached
  case asked(Opening.Cause)
  /// The user has left the app.
  case left
  /// The node starts, or has lost its connection and tries again.
  case connecting
  /// It dials its peer.
  case dialling
  /// The connection is open: both sides say what they know of the channel.
  case dialled
  case shown(Status)
  /// Announced payments are awaited, or none any more.
  case paymentsAwaited(Bool)
  case workCame(Opening.Work)
  case stepDone(Opening.Work, BackgroundStep)
}

/// An order of the opening.
public enum OpeningDirective: Hashable, Codable, Sendable {
  /// This step begins; for the journal.
  case enter(Opening.Step)
  /// One short step of deferred work. Answered by `stepDone`.
  case take(Opening.Work)
}
