import PhoneClient
import Ground
import DaemonRuntime
import Guardrails
import Reports
import SharedContainer

/// How the phone saw its last processes end: the claim knows that its holder died, the phone whether a user swiped it away.
package struct HolderEnds: Sendable {
  private let reasons: [Int32: String]
  /// The end of the ledger: what it costs does not grow with its age.
  private static let linesMax = 200

  package init() { reasons = [:] }

  package init(of phone: Phone) {
    let lines = FilePath.lastLines(of: phone.processLedger, count: Self.linesMax)
    let rows = lines.compactMap { ProcessRow(json: $0.utf8) }
    reasons = Dictionary(rows.compactMap { row in row.reason.map { (row.pid, $0) } }) { _, last in last }
  }

  /// Of the holder whose death let another claim; nil where the phone does not know it.
  package func reason(of holder: ClaimRow) -> String? { reasons[holder.process.pid] }
}
