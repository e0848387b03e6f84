/// The row that says who owns the node. It is history too: rows of earlier epochs stay.
public struct ClaimRow: Hashable, Codable, Sendable {
  public var epoch: Epoch
  public var role: Role
  public var process: ProcessIdentity
  /// Random per claim: two owners that came to share a number (a restored database) differ here.
  public var incarnation: UInt64
  public var container: ContainerID

  public init(
    epoch: Epoch, role: Role, process: ProcessIdentity, incarnation: UInt64, container: ContainerID
  ) {
    self.epoch = epoch
    self.role = role
    self.process = process
    self.incarnation = incarnation
    self.container = container
  }
}
