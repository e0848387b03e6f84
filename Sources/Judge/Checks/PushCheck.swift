// The pushes that the peer asked for: each has its reason, and its row says one thing only.
extension Hearing {
  mutating func checkPushes() {
    var earlier: Set<PushStory> = []
    let starts = evidence.ledger.runs.map(\.startedNs).sorted()
    for push in evidence.ledger.pushes {
      if let hash = push.paymentHash, evidence.ledger.paymentsByHash[hash] == nil {
        find(4, "Push \(push.id) is for a payment that is not there", [push.evidence])
      }
      let story = PushStory(push)
      let isSecond = earlier.contains(story)
      earlier.insert(story)
      if !isOneStory(push, hasEarlierOneLike: isSecond, starts) {
        find(
          4,
          "Push \(push.id) is \(push.isOpen == 0 ? "closed" : "open") after \(push.attempts) attempts with "
            + "\"\(push.outcome)\", which no push is", [push.evidence])
      }
      if let last = push.lastNs, last < push.atNs {
        find(4, "Push \(push.id) was tried before it was asked for", [push.evidence])
      }
    }
  }

  private func isOneStory(_ push: PushEntry, hasEarlierOneLike: Bool, _ starts: [Int64]) -> Bool {
    guard push.attempts >= 0, push.attempts <= mostAttempts(push, starts) else { return false }
    switch push.outcome {
    case "asked": return push.isOpen == 1 && push.attempts == 0 && push.lastNs == nil
    case "delivered": return push.isOpen == 0 && push.attempts >= 1 && push.lastNs != nil
    case "no longer needed": return push.isOpen == 0 && push.lastNs != nil
    case "one like it is on its way": return push.isOpen == 0 && push.lastNs != nil && hasEarlierOneLike
    case "iosd is not there": return push.isOpen == 1 && push.attempts >= 1 && push.lastNs != nil
    default:
      let isRefusal =
        push.outcome.hasPrefix("iosd refused: ") || push.outcome.hasPrefix("iosd gave no answer: ")
      return isRefusal && push.isOpen == 1 && push.attempts >= 1 && push.lastNs != nil
    }
  }

  /// One at once, then one a second; a run of the peer's that begins tries again at once.
  private func mostAttempts(_ push: PushEntry, _ starts: [Int64]) -> Int64 {
    guard let last = push.lastNs, last > push.atNs else { return 1 }
    let seconds = last.subtractingReportingOverflow(push.atNs)
    return (seconds.overflow ? .max - 1_000_000 : seconds.partialValue / 900_000_000) + 1
      + Int64(starts.count - starts.countOfThose(upTo: push.atNs))
  }
}

/// What makes one push like another.
private struct PushStory: Hashable {
  let reason: String
  let paymentHash: [UInt8]?

  init(_ push: PushEntry) {
    reason = push.reason
    paymentHash = push.paymentHash
  }
}
