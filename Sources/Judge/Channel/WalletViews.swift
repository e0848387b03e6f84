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
      for steps in [[], [.revoke], [.commit], [.revoke, .commit], [.commit, .revoke], [.bind]]
        as [[OwnStep]]
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
          let secret = Secrets.perCommitment(
            channel: view.channel, ofOpener: view.opener == .wallet, number: view.revocationsSent[.wallet])
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
