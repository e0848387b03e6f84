import Ground

/// The records of one claim in a journal: the directive that ordered it, and the answer if the process received it.
struct ClaimMoment {
  let asked: JournalRecord
  let answered: JournalRecord?

  init?(of claim: ClaimEntry, in journal: JournalFile) {
    let events = journal.events(of: "guard")
    let answer = journal.placeOfAnswer(to: claim.epoch)
    let before = events[..<(answer ?? events.endIndex)]
    let place = before.lastIndex { record in
      record.directives.contains { Self.seen(by: $0, raised: claim.isRaised) != nil }
    }
    guard let place else { return nil }
    let asking = events[place]
    // With a line missing in between, this record may have ordered another claim.
    let end = answer.map { events[$0].line } ?? .max
    guard !journal.hasGap(fromLine: asking.line, to: end) else { return nil }
    if answer == nil {
      // The process was killed between its commit and the line of the answer.
      guard !journal.hasEnded, Self.areAnswers(events[(place + 1)...], to: asking),
        asking.directives.contains(where: { Self.seen(by: $0, raised: claim.isRaised) == claim.seenEpoch })
      else { return nil }
    }
    asked = asking
    answered = answer.map { events[$0] }
  }

  /// Whether all records answer orders that stand before the claim in the same list: each is answered by one record.
  private static func areAnswers(_ records: Slice<Rows<JournalRecord>>, to asking: JournalRecord) -> Bool {
    var open = asking.directives.compactMap { directive in
      answers.first { directive[$0.order] != nil }?.events
    }
    for record in records {
      guard let answered = open.firstIndex(where: { $0.contains { record.event[$0] != nil } }) else {
        return false
      }
      open.remove(at: answered)
    }
    return true
  }

  private static let answers = [
    (order: "readReceived", events: ["receivedFound", "receivedNotRead"]),
    (order: "stopNode", events: ["node"]),
  ]

  /// Whether the journal has an order of such a claim.
  static func isOrdered(_ claim: ClaimEntry, in journal: JournalFile) -> Bool {
    journal.events(of: "guard").contains { record in
      record.directives.contains { seen(by: $0, raised: claim.isRaised) == claim.seenEpoch }
    }
  }

  private static func seen(by directive: JSONValue, raised: Bool) -> Int64? {
    raised ? directive["raiseEpoch"]?["_0"]?["epoch"]?.integer : directive["claim"]?["seen"]?.integer
  }

  /// The earliest and latest time of the claim, on the monotonic clock.
  var earliestNs: Int64 { asked.atNs }
  var latestNs: Int64? { answered?.atNs }

  func differences(from claim: ClaimEntry, container: [UInt8]?) -> [String] {
    var differences: [String] = []
    for directive in asked.directives {
      if let seen = directive["claim"]?["seen"]?.integer, seen != claim.seenEpoch {
        differences.append("it was claimed against epoch \(seen), but the row says \(claim.seenEpoch)")
      }
    }
    if let granted = answered?.event.payload("claimed") {
      if granted["incarnation"]?.integer != claim.incarnation {
        differences.append("its process was given another incarnation than the row has")
      }
      if granted["container"]?.sixteenBytes != container {
        differences.append("its process was given another container id than the database has")
      }
    }
    return differences
  }
}
