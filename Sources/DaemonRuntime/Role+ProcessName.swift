import Ground

extension Role {
  /// The name of its program.
  public var processName: String { self == .app ? "mainappd" : "notifyextd" }
}
