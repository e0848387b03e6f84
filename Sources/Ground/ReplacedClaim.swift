/// The claim of another container that a user has told this one to replace at the peer: exactly the highest that the peer
/// named. Once another container has claimed since, or this one is in its place, it replaces nothing any more.
public struct ReplacedClaim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var container: ContainerID

  public init(epoch: Epoch, container: ContainerID) {
    self.epoch = epoch
    self.container = container
  }

  public func isExactly(_ claim: Claim) -> Bool { epoch == claim.epoch && container == claim.container }
}
