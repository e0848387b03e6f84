/// One value for each of the two roles.
public struct PerRole<Value> {
  public var app: Value
  public var notifier: Value

  public init(_ app: Value, _ notifier: Value) {
    self.app = app
    self.notifier = notifier
  }

  public subscript(role: Role) -> Value {
    get { role == .app ? app : notifier }
    set { if role == .app { app = newValue } else { notifier = newValue } }
  }
}

extension PerRole: Equatable where Value: Equatable {}
extension PerRole: Hashable where Value: Hashable {}
extension PerRole: Sendable where Value: Sendable {}
