import Ground
import Lightning

/// What became of the payments of `baton pay --count`.
struct LoadTally: Hashable {
  struct Failure: Hashable {
    var sentence: String
    var count: Int
  }

  let count: Int
  private(set) var begun = 0
  private(set) var attempts = 0
  /// From the first attempt to the preimage.
  private(set) var settled: [TimeSpan] = []
  /// Without an outcome at their deadline.
  private(set) var pending = 0
  /// The most frequent ones first.
  private(set) var failures: [Failure] = []
  /// Why lspd takes no such requests.
  private(set) var refusal: String?

  init(count: Int) { self.count = count }

  var failed: Int { failures.reduce(0) { $0 + $1.count } }
  var underWay: Int { begun - settled.count - pending - failed }
  var notBegun: Int { count - begun }
  var isOver: Bool { notBegun == 0 && underWay == 0 }
  var percentiles: SpanPercentiles { SpanPercentiles(settled) }

  mutating func begin() { begun += 1 }

  mutating func end(_ report: SenderReport, attempts: Int, after span: TimeSpan) {
    note(attempts: attempts)
    switch report {
    case .settled: settled.append(span)
    case .pending, .alreadyPending: pending += 1
    case .failed(let failure): note(failure.sentence)
    case .alreadyPaid: note("not sent: the invoice is paid already")
    case .refused(let sentence):
      refusal = sentence
      note("refused by lspd")
    case .retrying, .skipped: break
    }
  }

  /// Also of payments that are under way.
  mutating func note(attempts: Int) { self.attempts += attempts }

  private mutating func note(_ sentence: String) {
    if let place = failures.firstIndex(where: { $0.sentence == sentence }) {
      failures[place].count += 1
    } else {
      failures.append(Failure(sentence: sentence, count: 1))
    }
    failures.sort { ($1.count, $0.sentence) < ($0.count, $1.sentence) }
  }

  /// `3 settled, 0 failed, 1 pending`; before the end also what is under way and what has not begun.
  var counts: String {
    let open = isOver ? "" : ", \(underWay) under way, \(notBegun) not begun"
    return "\(settled.count) settled, \(failed) failed, \(pending) pending\(open)"
  }
}
