/// A file or directory that cannot be trusted or opened, with the path at which the check failed.
public struct OwnError: Error, Hashable, Sendable {
  public var path: String
  public var fault: OwnFault

  public init(path: String, fault: OwnFault) {
    self.path = path
    self.fault = fault
  }
}
