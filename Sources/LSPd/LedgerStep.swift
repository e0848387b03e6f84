import Ground
import LightningProvider

/// All rows of one event of the core, written together.
struct LedgerStep {
  struct FrameBytes {
    var connection: UInt64
    var bytes: [UInt8]
  }

  var wallet = WalletNumber.own
  var at: Instant
  var wallNanoseconds: Int64
  var changes: [LedgerChange] = []
  /// The event's frame.
  var incoming: FrameBytes?
  /// The frames to send after the write.
  var outgoing: [FrameBytes] = []
  var pushes: [PushRequest] = []

  /// Only our `init` is sent after this step, which is the same for every node.
  var isOpeningAlone: Bool {
    guard changes.count == 1, case .connectionOpened = changes[0] else { return false }
    return incoming == nil && pushes.isEmpty
  }

  var isEmpty: Bool { changes.isEmpty && outgoing.isEmpty && pushes.isEmpty }
}
