import Ground
import PhonePolicy

/// One push and its outcome, from iosd's rows and the app's journal.
package struct PushFacts: Hashable, Sendable {
  struct Times: Report {
    /// From its arrival at the app or the extension to the node's start, and to the connection.
    var nodeStartMs: Int64?
    var connectedMs: Int64?
  }

  var row: PushRow
  package var time: PushTime?

  var hasReceived: Bool {
    row.fateCode == .completed && row.fateDetail == SilentPushResult.newData.rawValue
  }

  /// The push woke the app for a payment and is over without it: the visible push has to deliver the payment.
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
