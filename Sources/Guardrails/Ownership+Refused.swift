import Ground

// The peer has seen a higher epoch, or another container.
extension Ownership {
  mutating func refused(
    _ before: Owning, _ highest: Epoch, _ container: ContainerID, at now: Instant
  ) -> [GuardDirective] {
    var owning = before
    let answer = answer(toHighest: highest, of: container)
    // The request to move stays valid until a claim has replaced the other container's.
    if answer != .takePlace { movesHereUntil = nil }
    switch answer {
    case .raise: break
    case .takePlace: owning.replacing = ReplacedClaim(epoch: highest, container: container)
    case .otherDevice, .outOfReach, nil: return release(owning, at: now)
    }
    owning.node = .raising
    state = .owning(owning)
    let known = max(highest, owning.claim.epoch)
    return [
      .stopNode(gracefully: false), .raiseEpoch(owning.claim, above: known, replacing: owning.replacing),
    ]
  }
}
