/// One push, as far as the phone's rules read it.
public struct PhonePush: Hashable, Codable, Sendable {
  public var id: UInt64
  /// The alert as it was sent; nil for a silent push.
  public var alert: NotificationText?
  /// Whether the sender lets the extension change the alert.
  public var hasMutableContent: Bool

  public init(id: UInt64, alert: NotificationText?, hasMutableContent: Bool) {
    self.id = id
    self.alert = alert
    self.hasMutableContent = hasMutableContent
  }
}
