// What of the phone's files and of iosd's journals is gone. iosd numbers the rows of each file from one on, over
// restarts, and takes none away; whatever a full disk would not take it writes in front of the next row. And what
// stands in a row, the journal of the iosd that wrote it tells of.
extension PhoneEvidence {
  /// Rows that are missing between others, one sentence for each file.
  var missingRows: [String] {
    numbers.compactMap { name, numbers in
      guard let last = numbers.last, last > Int64(numbers.count) else { return nil }
      var expected: Int64 = 1
      let first = numbers.first { number in
        defer { expected = number &+ 1 }
        return number > expected
      }
      let missing = last - Int64(numbers.count)
      return "os/\(name) lacks \(countWords(missing, "row")), the first before row \(first ?? last)"
    }
  }

  /// The first push that a journal of iosd names and no row is of. One whose disk was full may have left none.
  func firstPushWithoutRow(_ journals: [JournalFile]) -> (push: Int64, journal: JournalFile)? {
    let known = Set(pushes.map(\.id))
    for journal in journals where !journal.hasGaps {
      if let push = journal.pushesNamed.first(where: { !known.contains($0) }) { return (push, journal) }
    }
    return nil
  }

  /// Of each journal that ends before what rows of its time say, the first of these. They are in the order of their
  /// starts.
  func rowsBehindJournals(
    _ journals: [JournalFile], isCertain: (Int64) -> Bool
  ) -> [(row: String, journal: JournalFile)] {
    var found: [(row: String, journal: JournalFile)] = []
    var named: Set<String> = []
    let starts = journals.map(\.startedNs)
    for (row, atNs, isLineFirst) in stampedRows where isCertain(atNs) {
      let place = starts.countOfThose(upTo: atNs)
      guard place > 0 else { continue }
      let journal = journals[place - 1]
      let last =
        isLineFirst ? journal.lastNs : journal.lastNs.addingReportingOverflow(stepSlackNs).partialValue
      guard atNs > last, !journal.hasGaps, named.insert(journal.name).inserted else { continue }
      found.append((row, journal))
    }
    return found
  }

  /// What each row says, when, and whether the journal's line has a later stamp. A push is written down before the
  /// journal tells of it: of one that was lost, or is the last of all, the iosd may have been killed in between.
  private var stampedRows: [(row: String, atNs: Int64, isLineFirst: Bool)] {
    let last = pushes.last?.id
    var rows: [(row: String, atNs: Int64, isLineFirst: Bool)] = pushes.filter { push in
      !push.isLost && !(push.id == last && push.fate == nil)
    }.map { ("push \($0.id)", $0.atNs, false) }
    for notification in notifications {
      if let atNs = notification.atNs { rows.append(("notification \(notification.id)", atNs, false)) }
    }
    for process in processes {
      let name = "\(process.role) process \(process.pid)"
      if let atNs = process.startedNs { rows.append(("the start of \(name)", atNs, false)) }
      if let atNs = process.endedNs, process.how != nil {
        rows.append(("the end of \(name)", atNs, true))
      }
    }
    return rows
  }
}

extension JournalFile {
  /// Of which iosd told a process, or said what became of them.
  fileprivate var pushesNamed: [Int64] {
    events(of: "phone").flatMap { record in
      record.directives.compactMap { directive in
        directive["tell"]?["_1"]?["push"]?["id"]?.integer ?? directive["recordFate"]?["push"]?.integer
      }
    }
  }
}
