import PhoneClient
import Ground
import PhonePolicy
import Reports

/// One push, and what became of it, as iosd has written it down.
package struct PushFacts: Hashable, Sendable {
  struct Times: Report {
    /// Of a silent one, from its arrival at the app: until the node started, and until it was connected.
    var nodeStartMs: Int64?
    var connectedMs: Int64?
  }

  var row: PushRow
  package var time: SilentPushTime?

  var hasReceived: Bool {
    row.fateCode == .completed && row.fateDetail == SilentPushResult.newData.rawValue
  }

  /// The app was woken by it for a payment and is done with it, without the payment.
  var isLeftToVisible: Bool {
    guard time?.isWakingForPayment == true, !hasReceived else { return false }
    return row.fateCode == .completed || row.fateCode == .expired || row.fateCode == .abandoned
  }

  var document: Joined<PushRow, Times> {
    Joined(
      row,
      Times(
        nodeStartMs: time?.nodeStarted?.wholeMilliseconds, connectedMs: time?.connected?.wholeMilliseconds))
  }
}
