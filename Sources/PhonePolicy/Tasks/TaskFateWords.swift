// The state of a request, as text.
extension TaskRecord.Fate {
  /// waiting, replaced, cancelled, refused, running, expiring, completed, failed, expired or lost.
  public var state: String {
    switch self {
    case .waits: "waiting"
    case .replaced: "replaced"
    case .cancelled: "cancelled"
    case .refused: "refused"
    case .runs: "running"
    case .expires: "expiring"
    case .completed(let isSuccess): isSuccess ? "completed" : "failed"
    case .expired: "expired"
    case .lost: "lost"
    }
  }

  public var why: String? {
    switch self {
    case .waits(let hindrance): hindrance.description
    case .replaced: "a newer request has its identifier"
    case .cancelled: "the app cancelled it"
    case .refused(let refusal): refusal.description
    case .expires(let expiry), .expired(let expiry): expiry.description
    case .lost: "the app or the phone ended before the task"
    case .runs, .completed: nil
    }
  }

  public var isEnd: Bool {
    switch self {
    case .waits, .runs, .expires: false
    case .replaced, .cancelled, .refused, .completed, .expired, .lost: true
    }
  }
}
