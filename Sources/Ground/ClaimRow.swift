/// The row of a claim; the one with the highest epoch is the owner's. Rows of earlier epochs stay as history.
public struct ClaimRow: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var role: Role
  public var process: ProcessIdentity
  /// Random per claim: tells two owners with the same epoch apart (after a restored database).
  public var incarnation: UInt64
  public var container: ContainerID

  public init(epoch: Epoch, role: Role, process: ProcessIdentity, incarnation: UInt64, container: ContainerID)
  {
    self.epoch = epoch
    self.role = role
    self.process = process
    self.incarnation = incarnation
    self.container = container
  }
}
