// The state of a request, as text.
extension TaskRecord.Fate {
  private var row: (state: String, why: String?, isEnd: Bool) {
    switch self {
    case .waits(let hindrance): ("waiting", hindrance.description, false)
    case .replaced: ("replaced", "a newer request has its identifier", true)
    case .cancelled: ("cancelled", "the app cancelled it", true)
    case .refused(let refusal): ("refused", refusal.description, true)
    case .runs: ("running", nil, false)
    case .expires(let expiry): ("expiring", expiry.description, false)
    case .completed(let isSuccess): (isSuccess ? "completed" : "failed", nil, true)
    case .expired(let expiry): ("expired", expiry.description, true)
    case .lost: ("lost", "the app or the phone ended before the task", true)
    }
  }

  /// waiting, replaced, cancelled, refused, running, expiring, completed, failed, expired or lost.
  public var state: String { row.state }
  public var why: String? { row.why }
  public var isEnd: Bool { row.isEnd }
}
