/// The number that decides who owns the node. It grows by one at every claim.
public typealias Epoch = UInt64

/// What a claim gives, and what every fenced write is checked against.
public struct Claim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var incarnation: UInt64
  public var container: ContainerID
  /// Whose place it takes at the peer, if the person has said so.
  public var replaces: ReplacedClaim?

  public init(
    epoch: Epoch, incarnation: UInt64, container: ContainerID, replaces: ReplacedClaim? = nil
  ) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.container = container
    self.replaces = replaces
  }

  public func owns(_ row: ClaimRow?) -> Bool {
    row?.epoch == epoch && row?.incarnation == incarnation
  }
}
