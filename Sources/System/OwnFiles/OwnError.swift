/// A file or directory that cannot be trusted, or not be reached, by the path at which that showed.
public struct OwnError: Error, Hashable, Sendable {
  public var path: String
  public var fault: OwnFault

  public init(path: String, fault: OwnFault) {
    self.path = path
    self.fault = fault
  }
}
