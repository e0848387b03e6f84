import Ground

/// What it means that the peer refused our epoch because it knows a higher one.
enum Refusal: Hashable, Sendable {
  /// Our own database was restored: raise the epoch above the peer's.
  case raise
  /// Another container is the node's owner.
  case otherDevice
  /// The same, and the user has asked to move the node here: replace its claim.
  case takePlace
  /// A restored database cannot explain such an epoch: the peer is wrong, or not ours.
  case outOfReach
}

extension Claim {
  func answer(toHighest highest: Epoch, of container: ContainerID, movesHere: Bool) -> Refusal {
    guard container == self.container else {
      guard movesHere else { return .otherDevice }
      // A new container may have claimed more often than the previous one.
      return mayRaise(above: max(highest, epoch)) ? .takePlace : .outOfReach
    }
    return mayRaise(above: highest) ? .raise : .outOfReach
  }
}
