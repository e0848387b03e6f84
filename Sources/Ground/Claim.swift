/// The number that decides who owns the node. It grows by one at every claim.
public typealias Epoch = UInt64

/// What a claim gives, and what every fenced write is checked against.
public struct Claim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var incarnation: UInt64
  public var container: ContainerID

  public init(epoch: Epoch, incarnation: UInt64, container: ContainerID) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.container = container
  }

  public func owns(_ row: ClaimRow?) -> Bool {
    row?.epoch == epoch && row?.incarnation == incarnation
  }

  /// How far a claim may be raised above its own number. No container sees as many claims in its life, and a hostile peer
  /// must not be able to use the numbers up.
  public static let farthestJump: Epoch = 1 << 32

  /// Whether this claim may be raised above a number that the peer knows. What comes next is one above that, lies at most
  /// `farthestJump` above this claim, and is a number that the database can hold.
  public func mayRaise(above known: Epoch) -> Bool {
    known >= epoch && known - epoch < Self.farthestJump && known < Epoch(Int64.max)
  }
}
