/// The number that decides the node's owner. It grows by one at every claim.
public typealias Epoch = UInt64

/// The result of a claim; every fenced write is checked against it.
public struct Claim: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var incarnation: UInt64
  public var container: ContainerID

  public init(epoch: Epoch, incarnation: UInt64, container: ContainerID) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.container = container
  }

  public func owns(_ row: ClaimRow?) -> Bool { row?.epoch == epoch && row?.incarnation == incarnation }

  /// How far a claim may be raised above its own epoch. No container makes so many claims in its life, and a hostile
  /// peer must not be able to exhaust the epochs.
  public static let farthestRaise: Epoch = 1 << 32

  /// Whether this claim may be raised above an epoch that the peer knows. The new epoch is one above that, at most
  /// `farthestRaise` above this claim, and storable in the database.
  public func mayRaise(above known: Epoch) -> Bool {
    known >= epoch && known - epoch < Self.farthestRaise && known < Epoch(Int64.max)
  }
}
