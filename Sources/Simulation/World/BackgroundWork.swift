import Ground
import PhonePolicy

/// The background tasks in the hands of the app, and what the phone says of them and it has not read yet.
struct BackgroundWork: Hashable, Sendable {
  struct Run: Hashable, Sendable {
    var identifier: String
    var number: UInt64
    var endsBy: Instant
    var nextLook: Instant
  }

  var words: ArraySlice<TaskMessage> = []
  var runs: [Run] = []

  var deadline: Instant? { runs.map(\.nextLook).min() }

  mutating func shift(by span: TimeSpan) {
    for index in runs.indices {
      runs[index].endsBy.shift(by: span)
      runs[index].nextLook.shift(by: span)
    }
  }
}
