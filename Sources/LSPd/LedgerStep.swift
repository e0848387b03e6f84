import CoreShape
import Lightning

/// All that one event of the core writes, in one transaction.
struct LedgerStep {
  struct FrameBytes {
    var connection: UInt64
    var bytes: [UInt8]
  }

  var at: Instant
  var wallNanoseconds: Int64
  var changes: [LedgerChange] = []
  /// The frame that the event was made of.
  var incoming: FrameBytes?
  /// What is about to be sent.
  var outgoing: [FrameBytes] = []
  var pushes: [PushRequest] = []

  var isEmpty: Bool { changes.isEmpty && outgoing.isEmpty && pushes.isEmpty }
}
