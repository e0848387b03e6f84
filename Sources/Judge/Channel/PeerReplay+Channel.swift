// The effect of each frame on the channel model.
extension PeerReplay {
  mutating func apply(_ given: ChannelStep, by end: ChannelEnd, _ frame: ReadFrame) {
    guard isChannelKnown, let channel = view?.channel, let step = view?.plain(given) else { return }
    if step.isOfSplice { spliceFrames.insert(frame.entry.id) }
    if frame.channel != channel {
      find(.namesOtherChannel, frame.entry.id, at: frame)
      return
    }
    do throws(ChannelView.Illegal) {
      // In place: a copy of the view would copy all earlier splices for each message.
      let moved = try view?.apply(step, by: end) ?? []
      negotiationSinceNs = negotiationStart(frame)
      sequence.append(SequenceEntry(frame: frame.entry.id, by: end, step: step))
      for htlc in moved { note(htlc, step, frame) }
    } catch {
      isChannelKnown = false
      find(
        .illegalStep, end == .wallet ? "The wallet" : "The peer", step.name, frame.entry.id, error.reason,
        at: frame)
    }
  }

  private mutating func note(_ htlc: OpenHTLC, _ step: ChannelStep, _ frame: ReadFrame) {
    if case .add = step {
      keep(
        HTLCLife(
          amountMsat: htlc.amountMsat, paymentHash: htlc.paymentHash, addFrame: frame.entry.id,
          addNs: frame.entry.atNs, data: htlc.data), htlc)
    }
    let isPeers = htlc.offeredBy == .peer
    guard var life = isPeers ? lives[htlc.id] : sentLives[htlc.id] else { return }
    if htlc.addStage == OpenHTLC.irrevocable { life.wasCommitted = true }
    switch step {
    case .fulfil(_, let preimage):
      life.preimage = preimage
      if isPeers { checkWhole(htlc.id, life, frame) }
      // The first time counts: a fulfilment dropped by a disconnect has revealed the preimage already.
      life.fulfilFrame = life.fulfilFrame ?? frame.entry.id
      life.fulfilNs = life.fulfilNs ?? frame.entry.atNs
    case .fail(_, let code): life.failureCode = code
    case .failMalformed(_, let code): life.failureCode = code
    default: break
    }
    if htlc.ending != nil, htlc.removeStage == 1 { life.endSignedNs = frame.entry.atNs }
    keep(life, htlc)
  }

  /// A message of the peer: a new one, or the exact retransmission of a lost one.
  mutating func sendStep(_ given: ChannelStep, _ frame: ReadFrame) {
    guard isChannelKnown, let view, let link = links[frame.entry.connection] else { return }
    let step = view.plain(given)
    let isAgain: Bool
    switch step {
    case .splice, .commit(_, .some):
      apply(step, by: .peer, frame)
      return
    case .commit(let signatures, nil):
      isAgain = link.mustResendCommitment && signatures == view.htlcSignatures(by: .peer)
      if isAgain { links[frame.entry.connection]?.mustResendCommitment = false }
    case .revoke(let secret):
      isAgain = link.mustResendRevocation && secret == view.lastSecret[.peer]
      if isAgain { links[frame.entry.connection]?.mustResendRevocation = false }
    case .add, .fulfil, .fail, .failMalformed, .fee:
      isAgain = link.mustResendCommitment && isRetransmitted(step, view)
    }
    if !isAgain { apply(step, by: .peer, frame) }
  }

  private func isRetransmitted(_ step: ChannelStep, _ view: ChannelView) -> Bool {
    view.htlcs.contains { htlc in
      switch step {
      case .add(let id, let amount, let hash, let expiry, let data):
        htlc.offeredBy == .peer && htlc.addStage == 1 && htlc.id == id && htlc.amountMsat == amount
          && htlc.paymentHash == hash && htlc.cltvExpiry == expiry && htlc.data == data
      case .fulfil(let id, let preimage):
        htlc.offeredBy == .wallet && htlc.removeStage == 1 && htlc.id == id
          && htlc.ending == .fulfilled(preimage)
      case .fail(let id, let code):
        htlc.offeredBy == .wallet && htlc.removeStage == 1 && htlc.id == id && htlc.ending == .failed(code)
      // lspd never sends these two.
      case .failMalformed, .fee, .commit, .revoke, .splice: false
      }
    }
  }

  // MARK: channel_reestablish

  /// The wallet's `channel_reestablish` may lack messages in flight, but none that its own messages acknowledge.
  mutating func receive(_ body: WireMessage.Reestablish, _ frame: ReadFrame) {
    guard isChannelKnown, let view else { return }
    let commitments = max(view.revocationsSent[.wallet], view.commitmentsSigned[.peer] &- 1)
    let low = view.commitmentsSigned[.peer] == 0 ? 0 : commitments
    let isCommitmentKnown =
      body.nextCommitment >= low + 1 && body.nextCommitment <= view.commitmentsSigned[.peer] + 1
    let revocations = view.revocationsSent[.peer]
    let least = max(
      revocations == 0 ? 0 : revocations - 1,
      view.commitmentsSigned[.wallet] == 0 ? 0 : view.commitmentsSigned[.wallet] - 1)
    let isRevocationKnown =
      body.nextRevocation >= min(least, revocations) && body.nextRevocation <= revocations
    if !isCommitmentKnown || !isRevocationKnown {
      let isTooLow = body.nextCommitment < low + 1 || body.nextRevocation < min(least, revocations)
      let what = isTooLow ? "too low" : "too high"
      find(
        .reestablishNumber, frame.entry.id, body.nextCommitment, body.nextRevocation,
        view.commitmentsSigned[.peer], revocations, view.revocationsSent[.wallet], least, what, at: frame)
    }
    let secret =
      body.nextRevocation == 0
      ? [UInt8](repeating: 0, count: 32)
      : Secrets.perCommitment(
        channel: view.channel, ofOpener: view.opener == .peer, number: body.nextRevocation - 1)
    if body.secret != secret || body.channel != view.channel {
      find(.reestablishSecret, frame.entry.id, at: frame)
    }
    checkFundings(of: body, view, frame)
    guard frame.entry.isActedOn else {
      links[frame.entry.connection]?.state = .failed
      find(.reestablishRefused, frame.entry.whyNot ?? "no reason recorded", at: frame)
      return
    }
    if links[frame.entry.connection]?.receivedReestablish == true {
      find(.secondReestablish, frame.entry.id, at: frame)
    }
    links[frame.entry.connection]?.receivedReestablish = true
    links[frame.entry.connection]?.mustResendCommitment =
      body.nextCommitment == view.commitmentsSigned[.peer]
      && view.isInFlight(from: .peer)
    links[frame.entry.connection]?.mustResendRevocation = body.nextRevocation != revocations
    resume(body, by: .wallet, frame)
  }
}
