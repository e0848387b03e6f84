// Missing rows of the phone's files, and missing ends of iosd's journals. iosd numbers the rows of each file from 1
// on, over restarts, and deletes none; rows that a full disk refused it writes before the next row. Each row is in
// the journal of the iosd that wrote it.
extension PhoneEvidence {
  /// Missing rows, one sentence for each file.
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

  /// The first push in a journal of iosd without a row. Journals with a full disk are skipped.
  func firstPushWithoutRow(_ journals: [JournalFile]) -> (push: Int64, journal: JournalFile)? {
    let known = Set(pushes.map(\.id))
    for journal in journals where !journal.hasGaps {
      if let push = journal.pushesNamed.first(where: { !known.contains($0) }) { return (push, journal) }
    }
    return nil
  }

  /// The first push that a journal of iosd shows, and that no notification has. A killed iosd may not have written the
  /// row of its last line.
  func shownWithoutRow(_ journals: [JournalFile]) -> [(push: Int64, journal: JournalFile)] {
    let known = Set(notifications.compactMap(\.push))
    return journals.filter { !$0.hasGaps }.flatMap { journal in
      journal.events(of: "phone").filter { journal.hasEnded || $0.atNs < journal.lastNs }.flatMap { record in
        record.directives.compactMap { $0["show"]?["push"]?.integer }
      }.filter { !known.contains($0) }.map { ($0, journal) }
    }
  }

  /// For each journal that ends before rows of its time, the first such row. `journals` is sorted by start.
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

  /// Each row with its time, and whether the journal's line is later. A push's row is written before the journal's
  /// line: for a lost push, and for the last one, iosd may have been killed in between.
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
  /// Pushes that iosd delivered to a process, or whose fate it recorded.
  fileprivate var pushesNamed: [Int64] {
    events(of: "phone").flatMap { record in
      record.directives.compactMap { directive in
        directive["tell"]?["_1"]?["push"]?["id"]?.integer ?? directive["recordFate"]?["push"]?.integer
      }
    }
  }
}
