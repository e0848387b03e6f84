/// The channel in one side's database: its row, and its rows of open HTLCs and splices.
struct ChannelAccount {
  let row: ChannelEntry
  let htlcs: [HTLCEntry]
  let splices: [SpliceEntry]
  /// Restored from a backup: splices that only the lost database had may be missing.
  var isRestored = false
  let end: ChannelEnd

  /// The differences from the model, as sentences.
  func differences(from view: ChannelView) -> [String] {
    var differences: [String] = []
    func compare(_ name: String, _ ours: Int64, _ theirs: UInt64) {
      if ours < 0 || UInt64(ours) != theirs { differences.append("\(name) is \(ours) and must be \(theirs)") }
    }
    let other = end.other
    if row.id != view.channel { differences.append("id is of another channel") }
    compare("is_opener", row.isOpener, view.opener == end ? 1 : 0)
    compare("local_msat", row.localMsat, view.balanceMsat[end])
    compare("remote_msat", row.remoteMsat, view.balanceMsat[other])
    compare("local_commitment_number", row.localCommitmentNumber, view.commitmentsSigned[other])
    compare("remote_commitment_number", row.remoteCommitmentNumber, view.commitmentsSigned[end])
    compare("revocations_sent", row.revocationsSent, view.revocationsSent[end])
    compare("revocations_received", row.revocationsReceived, view.revocationsSent[other])
    compare("next_offered_id", row.nextOfferedID, view.nextID[end])
    compare("next_received_id", row.nextReceivedID, view.nextID[other])
    compare("sent_revocation_last", row.sentRevocationLast, view.revokedLast[end] ? 1 : 0)
    if row.lastReceivedSecret != view.lastSecret[other] {
      differences.append("last_received_secret is not the one that was revealed last")
    }
    return differences + htlcDifferences(from: view) + spliceDifferences(from: view)
  }

  private func htlcDifferences(from view: ChannelView) -> [String] {
    var differences: [String] = []
    var rows = Dictionary(htlcs.map { ("\($0.direction) HTLC \(UInt64(bitPattern: $0.id))", $0) }) {
      first, _ in
      first
    }
    for htlc in view.htlcs {
      let name = "\(htlc.offeredBy == end ? "offered" : "received") HTLC \(htlc.id)"
      guard let entry = rows.removeValue(forKey: name) else {
        differences.append("the \(name) is missing")
        continue
      }
      if !matches(entry, htlc) {
        differences.append(
          "the \(name) (\(amountWords(entry.amountMsat)), \(entry.state)) differs from "
            + "the one that the messages left pending (\(amountWords(htlc.amountMsat)), \(htlc.stateName(at: end)))"
        )
      }
    }
    return differences + rows.keys.sorted().map { "the messages leave no \($0) pending, but a row has it" }
  }

  private func matches(_ entry: HTLCEntry, _ htlc: OpenHTLC) -> Bool {
    guard UInt64(bitPattern: entry.amountMsat) == htlc.amountMsat, entry.paymentHash == htlc.paymentHash,
      UInt64(bitPattern: entry.cltvExpiry) == htlc.cltvExpiry, entry.state == htlc.stateName(at: end),
      entry.channel == nil || entry.channel == row.id, entry.data == htlc.data
    else { return false }
    switch htlc.ending {
    case nil: return entry.removal == nil && entry.preimage == nil && entry.failureCode == nil
    case .failed(let code):
      return entry.removal == "failed" && entry.preimage == nil && entry.failureCode == code
    case .fulfilled(let preimage):
      // Only the side that learnt the preimage stores it; the side that revealed it must not.
      let isKept = htlc.offeredBy == end ? entry.preimage == preimage : entry.preimage == nil
      return entry.removal == "fulfilled" && isKept && entry.failureCode == nil
    }
  }
}

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
    // A forgotten splice may be made again.
    let key = { (txid: [UInt8], isForgotten: Bool) in txid + [isForgotten ? 1 : 0] }
    let byEnd = Dictionary(known.map { (key($0.txid, $0.state == "forgotten"), $0) }) { first, _ in first }
    for splice in view.splices {
      guard let entry = byEnd[key(splice.plan.txid, splice.end == .forgotten)] else {
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

/// All legal states of the wallet's database, given the peer's frames.
struct WalletViews {
  let opening: ChannelView
  let sequence: [PeerReplay.SequenceEntry]
  /// The wallet's rows: only they show updates that the peer has not received.
  let rows: [HTLCEntry]

  private enum OwnStep { case revoke, commit, bind }

  func all() -> [ChannelView] {
    var views: [ChannelView] = []
    let cuts = cuts()
    // Steps before the first cut are common to all views.
    let common = cuts.last ?? 0
    var start = opening
    start.viewer = .wallet
    guard let start = play(start, sequence[..<common], without: common) else { return [] }
    for missing in cuts {
      guard let base = play(start, sequence[common...], without: missing) else { continue }
      for steps in [[], [.revoke], [.commit], [.revoke, .commit], [.commit, .revoke], [.bind]] as [[OwnStep]]
      {
        if let view = extend(base, by: steps, adoptsFirst: true) { views.append(view) }
        if let view = extend(base, by: steps, adoptsFirst: false) { views.append(view) }
      }
    }
    return views
  }

  /// Indices into the sequence from which on the wallet may not have received the peer's messages.
  private func cuts() -> [Int] {
    var cuts = [sequence.endIndex]
    var commitments = 0
    var revocations = 0
    for index in sequence.indices.reversed() where sequence[index].by == .peer {
      switch sequence[index].step {
      case .commit(_, nil): commitments += 1
      case .revoke: revocations += 1
      case .add, .fulfil, .fail, .failMalformed, .fee, .commit, .splice: break
      }
      if commitments > 1 || revocations > 1 { break }
      cuts.append(index)
    }
    return cuts
  }

  /// Nil if the wallet's own messages show that it had received more.
  private func play(
    _ start: ChannelView, _ steps: ArraySlice<PeerReplay.SequenceEntry>, without cut: Int
  ) -> ChannelView? {
    var view = start
    for index in steps.indices where steps[index].by == .wallet || index < cut {
      do { _ = try view.apply(steps[index].step, by: steps[index].by) } catch { return nil }
    }
    return view
  }

  private func extend(_ base: ChannelView, by steps: [OwnStep], adoptsFirst: Bool) -> ChannelView? {
    var view = base
    if adoptsFirst { adopt(&view) }
    do {
      for step in steps {
        switch step {
        case .revoke:
          let secret = view.secretOfRevocation(view.revocationsSent[.wallet], by: .wallet)
          _ = try view.apply(.revoke(secret: secret), by: .wallet)
        case .commit: try commit(&view)
        case .bind: try view.bindAhead()
        }
      }
    } catch { return nil }
    if !adoptsFirst { adopt(&view) }
    return view
  }

  private func commit(_ view: inout ChannelView) throws {
    // The number of HTLC signatures depends on the state after the step, so all are tried.
    for signatures in 0...view.htlcs.count {
      var next = view
      guard (try? next.apply(.commit(htlcSignatures: signatures, funding: nil), by: .wallet)) != nil else {
        continue
      }
      view = next
      return
    }
    throw ChannelView.Illegal(reason: "nothing to sign")
  }

  /// Applies the additions and removals of the wallet's rows.
  private func adopt(_ view: inout ChannelView) {
    for row in rows where row.direction == "offered" && row.removal == nil {
      let step = ChannelStep.add(
        id: UInt64(bitPattern: row.id), amountMsat: UInt64(bitPattern: row.amountMsat),
        paymentHash: row.paymentHash, cltvExpiry: UInt64(bitPattern: row.cltvExpiry), data: row.data)
      // A mere negotiation may have ended since.
      if view.openSplice == nil { view.negotiation = nil }
      if view.nextID[.wallet] == UInt64(bitPattern: row.id) { _ = try? view.apply(step, by: .wallet) }
    }
    for row in rows where row.direction == "received" {
      switch row.removal {
      case "fulfilled": _ = try? view.remove(UInt64(bitPattern: row.id), .fulfilled(nil), by: .wallet)
      case "failed": _ = try? view.remove(UInt64(bitPattern: row.id), .failed(row.failureCode), by: .wallet)
      default: break
      }
    }
  }
}
