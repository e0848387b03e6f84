import Ground

/// What it means that the peer refused our number because it has seen a higher one.
enum Refusal: Hashable, Sendable {
  /// Our own database was restored: jump above the peer's number.
  case raise
  /// Another container has this node.
  case otherDevice
  /// The same, and the user has said that the node is this container's from now on.
  case takePlace
  /// No restored database explains such a number: a peer that is wrong, or not ours.
  case outOfReach
}

extension Claim {
  func answer(toHighest highest: Epoch, of container: ContainerID, movesHere: Bool) -> Refusal {
    guard container == self.container else {
      guard movesHere else { return .otherDevice }
      // A new container may have claimed more often than the one before it.
      return mayRaise(above: max(highest, epoch)) ? .takePlace : .outOfReach
    }
    return mayRaise(above: highest) ? .raise : .outOfReach
  }
}
