// Push keys, and the ends of holds that the wallet is told of (invariants 3 and 4).
extension Checker {
  mutating func checkHolds(_ replay: PeerReplay) {
    checkPushKeys(replay)
    checkEndedHolds()
    checkMissedPayments(replay)
    checkTold(replay)
  }

  private mutating func checkPushKeys(_ replay: PeerReplay) {
    let kept = evidence.ledger.pushKeys
    for (place, named) in replay.pushKeys.enumerated() {
      guard place < kept.count, kept[place].key == named.key, kept[place].atNs == named.atNs else {
        return find(4, "The peer's push keys are not those that the wallet named", ["ledger push_keys"])
      }
    }
    if kept.count > replay.pushKeys.count {
      find(4, "The peer has a push key that the wallet never named", [kept[replay.pushKeys.count].evidence])
    }
  }

  /// Each ended hold is a payment that failed then, and is forgotten when the same hash is paid for again.
  private mutating func checkEndedHolds() {
    var told = 0
    for ended in evidence.ledger.endedHolds {
      let group = evidence.ledger.payments(ended.paymentHash)
      if !group.failedNs.contains(ended.endedNs) {
        find(
          3,
          "The peer reports the end of a hold of \(shortHex(ended.paymentHash)), and no such payment failed then",
          [ended.evidence])
      }
      let again = group.requestedNs.first { $0 > ended.endedNs }
      if let again, (ended.forgottenNs ?? .max) > again {
        find(
          3, "The peer reports the end of a hold of \(shortHex(ended.paymentHash)), which is paid for again",
          [ended.evidence])
      }
      if ended.forgottenNs == nil { told += 1 }
    }
    let limit = 16
    if told > limit {
      find(4, "The peer reports \(told) ends of holds, more than \(limit)", ["ledger ended_holds"])
    }
  }

  /// A payment that failed without the wallet is an ended hold, once the wallet has named a push key.
  private mutating func checkMissedPayments(_ replay: PeerReplay) {
    guard let since = replay.pushKeys.first?.atNs else { return }
    let known = evidence.ledger.endedHolds.index { $0.paymentHash }
    for payment in evidence.ledger.payments where payment.isMissed {
      guard let failedNs = payment.settledNs, failedNs > since,
        evidence.ledger.payments(payment.paymentHash).isOver(at: failedNs)
      else { continue }
      if !known.all(payment.paymentHash).contains(where: { $0.endedNs == failedNs }) {
        find(
          4,
          "Payment \(payment.id) failed without the wallet, and the peer has not noted that its hold ended",
          [payment.evidence])
      }
    }
  }

  /// A connection is told of all ended holds with its `channel_reestablish`, and of later ones when they end.
  private mutating func checkTold(_ replay: PeerReplay) {
    let known = evidence.ledger.endedHolds.index { $0.paymentHash }
    var atOnce: [Int64: [[UInt8]]] = [:]
    for end in replay.toldEnds {
      let isFirst = replay.reestablishedNs[end.connection] == end.atNs
      if isFirst { atOnce[end.connection, default: []].append(end.paymentHash) }
      let rows = known.all(end.paymentHash)
      let isTrue = rows.contains { isFirst ? $0.isTold(at: end.atNs) : $0.endedNs == end.atNs }
      if !isTrue {
        find(3, "The peer reported the end of a hold that had not ended then", [end.evidence])
      }
    }
    guard !evidence.ledger.endedHolds.isEmpty else { return }
    let changes = EndedHoldChanges(evidence.ledger.endedHolds)
    for (connection, atNs) in replay.reestablishedNs.sorted(by: { $0.key < $1.key }) {
      let due = changes.told(at: atNs)
      if due != atOnce[connection] ?? [] {
        find(
          4, "Connection \(connection) was not told of the \(due.count) ended holds that the peer had noted",
          ["ledger connections \(connection)"])
      }
    }
  }
}

/// Which ended holds were noted at a time. At most 16 are told, so a few rows before the newest are enough.
private struct EndedHoldChanges {
  private let rows: [EndedHoldEntry]
  private let endedNs: [Int64]
  private let forgottenNs: [Int64]

  init(_ rows: Rows<EndedHoldEntry>) {
    self.rows = Array(rows)
    endedNs = self.rows.map(\.endedNs)
    forgottenNs = self.rows.compactMap(\.forgottenNs).sorted()
  }

  func told(at instantNs: Int64) -> [[UInt8]] {
    var missing = endedNs.countOfThose(upTo: instantNs)
    var left = missing - forgottenNs.countOfThose(upTo: instantNs)
    var hashes: [[UInt8]] = []
    while left > 0, missing > 0 {
      missing -= 1
      guard rows[missing].isTold(at: instantNs) else { continue }
      hashes.append(rows[missing].paymentHash)
      left -= 1
    }
    return hashes.reversed()
  }
}
