// A wallet that its person has moved: what came before is in the database of another container.
extension Hearing {
  /// The epoch under which the peer took this container in the place of the one that it knew. Told by the wallet's own `init`
  /// and by the peer's fence together: a row alone proves nothing.
  var movedHereUnder: Int64? {
    for frame in frames where frame.entry.isIn {
      guard case .greeting(let claim?, _, _, let replaced?) = frame.message,
        claim.container == evidence.wallet.container,
        let index = evidence.ledger.fences.firstIndex(where: { $0.claim == claim }), index > 0
      else { continue }
      let before = evidence.ledger.fences[index - 1].claim
      if before.epoch == replaced.epoch, before.container == replaced.container { return claim.epoch }
    }
    return nil
  }
}
