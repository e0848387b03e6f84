// The splices in one side's database.
extension ChannelAccount {
  func spliceDifferences(from view: ChannelView) -> [String] {
    var differences: [String] = []
    let isFirst = view.funding == ChannelFunding(txid: view.channel, index: 0)
    if row.fundingTxid != (isFirst ? nil : view.funding.txid)
      || row.fundingIndex != (isFirst ? nil : Int64(view.funding.index))
    {
      differences.append("funding is not that of the last completed splice")
    }
    // The outcome of a lost splice is unknown.
    let known = splices.filter { $0.state != "lost" }
    let byEnd = Dictionary(known.map { (Ended($0.txid, $0.state == "forgotten"), $0) }) { first, _ in first }
    for splice in view.splices {
      guard let entry = byEnd[Ended(splice.plan.txid, splice.end == .forgotten)] else {
        if !isRestored {
          differences.append("a splice of \(amountWords(splice.plan.amountSat &* 1000)) is missing")
        }
        continue
      }
      if let problem = problem(of: entry, splice) { differences.append("\(entry.name) \(problem)") }
    }
    if known.count > view.splices.count {
      differences.append("it has \(known.count) splices, but the messages have \(view.splices.count)")
    }
    return differences
  }

  private struct Ended: Hashable {
    let txid: [UInt8]
    let isForgotten: Bool

    init(_ txid: [UInt8], _ isForgotten: Bool) {
      self.txid = txid
      self.isForgotten = isForgotten
    }
  }

  private func problem(of entry: SpliceEntry, _ splice: BoundSplice) -> String? {
    let plan = splice.plan
    if entry.state != splice.stateName(at: end) {
      return "is \(entry.state) and must be \(splice.stateName(at: end))"
    }
    if entry.unsignedTransaction != plan.transaction || entry.spentTxid != plan.spentTxid
      || entry.spentIndex != Int64(plan.spentIndex) || entry.fundingIndex != Int64(plan.fundingIndex)
    {
      return "has another transaction than the messages build"
    }
    if entry.amountSat != Int64(clamping: plan.amountSat) || entry.feeSat != Int64(clamping: plan.feeSat) {
      return "has another amount or fee than its transaction"
    }
    return entry.isOurs == (end == .wallet ? 1 : 0) ? nil : "has a wrong is_ours"
  }
}
