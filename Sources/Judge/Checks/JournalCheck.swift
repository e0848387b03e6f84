// The journals as evidence. A truncated last line is normal after a kill; other damage is remarked.
extension Checker {
  mutating func checkJournals() {
    for journal in evidence.journals {
      if journal.endsTorn { remark("\(journal.name) ends in the middle of a line: its process was killed") }
      remarkDamage(in: journal)
    }
    remarkCleaned()
  }

  private mutating func remarkCleaned() {
    let gone = [
      missing.cleanedEpochs.isEmpty ? nil : "of epochs \(Self.list(missing.cleanedEpochs))",
      missing.cleanedRuns.isEmpty ? nil : "of lspd's starts \(Self.list(missing.cleanedRuns))",
    ].compactMap { $0 }
    guard !gone.isEmpty else { return }
    remark(
      "the journals \(gone.joined(separator: " and ")) were removed, as the app removes old ones: what only they show is not judged"
    )
  }

  private static func list(_ numbers: Set<Int64>) -> String {
    numbers.sorted().map { "\($0)" }.joined(separator: ", ")
  }

  private mutating func remarkDamage(in journal: JournalFile) {
    let unreadable = journal.unreadableLines
    if unreadable.count > 0 {
      remark(
        "\(journal.name) line \(unreadable.first) is no record\(Self.andMore(unreadable.count - 1))")
    }
    if journal.disorder.count > 0 {
      remark(
        "\(journal.name) line \(journal.disorder.first) is out of order\(Self.andMore(journal.disorder.count - 1))"
      )
    }
    let lost = journal.gaps.filter(\.isNoted).reduce(Int64(0)) { $0 &+ $1.count }
    if lost > 0 { remark("\(journal.name) lacks \(countWords(lost, "record")): its disk was full") }
  }

  private static func andMore(_ count: Int) -> String { count > 0 ? ", and \(count) more" : "" }
}
