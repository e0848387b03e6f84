// The journals as evidence. A torn last line is what a killed process leaves; anything else is said.
extension Hearing {
  mutating func checkJournals() {
    for journal in evidence.journals {
      if journal.endsTorn { remark("\(journal.name) ends in the middle of a line: its process was killed") }
      for line in journal.unreadableLines { remark("\(journal.name) line \(line) is no record") }
      checkSequence(of: journal)
    }
    sayWhatWasCleaned()
    for process in ["mainappd", "notifyextd"] where !evidence.wallet.claims.isEmpty {
      let role = process == "mainappd" ? "app" : "extension"
      if evidence.journals(of: process).isEmpty, evidence.wallet.claims.contains(where: { $0.role == role }) {
        find(4, "\(process) claimed the node and left no journal", ["journal"])
      }
    }
  }

  private mutating func sayWhatWasCleaned() {
    let gone = [
      cleaned.epochs.isEmpty ? nil : "of epochs \(Self.list(cleaned.epochs))",
      cleaned.runs.isEmpty ? nil : "of the peer's runs \(Self.list(cleaned.runs))",
    ].compactMap { $0 }
    guard !gone.isEmpty else { return }
    remark(
      "the journals \(gone.joined(separator: " and ")) are gone, as the app removes old ones (--clean-journals): what only they would tell is not known"
    )
  }

  private static func list(_ numbers: Set<Int64>) -> String {
    numbers.sorted().map { "\($0)" }.joined(separator: ", ")
  }

  private mutating func checkSequence(of journal: JournalFile) {
    var next: Int64 = 1
    var lost: Int64 = 0
    for record in journal.records {
      guard let number = record.body["seq"]?.integer else { continue }
      let missing = number.subtractingReportingOverflow(next)
      if missing.overflow || missing.partialValue < 0 {
        remark("\(journal.name) line \(record.line) is out of order")
      } else {
        lost &+= missing.partialValue
      }
      next = number &+ 1
    }
    if lost > 0 { remark("\(journal.name) lacks \(lost) records: its disk was full, or somebody cut it") }
  }
}
