import PhoneClient
import Reports
import Sender
import Terminal

extension SenderJournal {
  func note(_ row: SenderRow, _ output: Output) {
    if let problem = append(row) { output.remark(problem) }
  }
}

extension SenderRow {
  /// A payment of several attempts.
  init(_ report: SenderReport, of sending: Sending) {
    switch report {
    case .settled: self.init("settled", of: sending.invoice)
    case .pending: self.init("pending", of: sending.invoice)
    case .alreadyPending:
      self.init("pending", of: sending.invoice)
      reason = "already-pending"
    case .alreadyPaid:
      self.init("not-sent", of: sending.invoice)
      reason = "already-paid"
    case .failed(let failure):
      self.init("failed", of: sending.invoice)
      reason = failure.failure.rawValue
    case .refused, .retrying, .skipped:
      self.init("failed", of: sending.invoice)
      reason = "refused"
    }
    attempts = sending.attemptIDs
  }
}
