import Ground
import DaemonRuntime
import Guardrails
import PhonePolicy
import SharedContainer

/// Why the phone's last processes ended: a claim knows only that its holder died, iosd knows the cause.
package struct HolderEnds: Sendable {
  private let reasons: [Int32: String]
  /// Only the ledger's last lines are read, so that the cost does not grow with its age.
  private static let linesMax = 200

  package init() { reasons = [:] }

  package init(of phone: Phone) {
    let lines = FilePath.lastLines(of: phone.processLedger, count: Self.linesMax)
    let rows = lines.compactMap { ProcessRow(json: $0.utf8) }
    reasons = Dictionary(rows.compactMap { row in row.reason.map { (row.pid, $0) } }) { _, last in last }
  }

  /// Why the holder ended; nil if the phone has no row of it.
  package func reason(of holder: ClaimRow) -> String? { reasons[holder.process.pid] }
}
