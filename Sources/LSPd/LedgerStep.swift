import Ground
import LightningProvider

/// All that one event of the core writes: never a part of it.
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

  /// Nothing but our init, which is the same for all, is sent after it.
  var isOpeningAlone: Bool {
    guard changes.count == 1, case .connectionOpened = changes[0] else { return false }
    return incoming == nil && pushes.isEmpty
  }

  var isEmpty: Bool { changes.isEmpty && outgoing.isEmpty && pushes.isEmpty }
}
