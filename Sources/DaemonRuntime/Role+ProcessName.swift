import Ground

extension Role {
  /// The name of its process, as people know it.
  public var processName: String { self == .app ? "mainappd" : "notifyextd" }
}
