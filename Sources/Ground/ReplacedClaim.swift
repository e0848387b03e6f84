/// The claim of another container that this one replaces at the peer, on the user's request: exactly the highest that
/// the peer reported. Void once another container has claimed since, or this one has replaced it.
public struct ReplacedClaim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var container: ContainerID

  public init(epoch: Epoch, container: ContainerID) {
    self.epoch = epoch
    self.container = container
  }

  public func isExactly(_ claim: Claim) -> Bool { epoch == claim.epoch && container == claim.container }
}
