// What the wallet offered, as the frames tell of it.
extension PeerReplay {
  mutating func noteSent(_ move: ChannelView.Move, _ step: ChannelStep, _ frame: ReadFrame) {
    let htlc = move.htlc
    if case .add = step {
      sentLives[htlc.id] = HTLCLife(
        amountMsat: htlc.amountMsat, paymentHash: htlc.paymentHash, addFrame: frame.entry.id,
        addNs: frame.entry.atNs, data: htlc.data)
    }
    guard var life = sentLives[htlc.id] else { return }
    switch step {
    case .fulfil(_, let preimage):
      life.preimage = preimage
      life.fulfilFrame = life.fulfilFrame ?? frame.entry.id
      life.fulfilNs = life.fulfilNs ?? frame.entry.atNs
    case .fail(_, let code): life.failureCode = code
    default: break
    }
    if htlc.ending != nil, htlc.removeStage == 1 { life.endSignedNs = frame.entry.atNs }
    life.isGone = move.isGone
    sentLives[htlc.id] = life
  }
}
