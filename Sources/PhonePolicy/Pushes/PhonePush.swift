/// One push, as far as the phone's rules read it.
public struct PhonePush: Hashable, Codable, Sendable {
  public var id: UInt64
  /// The alert as it was sent.
  public var alert: NotificationText?
  /// Whether the sender lets the extension change the alert.
  public var hasMutableContent: Bool
  /// Of one without an alert.
  public var badgeAndSound: BadgeAndSound?

  /// Nothing of it is for the user.
  public var isSilent: Bool { alert == nil && badgeAndSound == nil }

  public init(
    id: UInt64, alert: NotificationText?, hasMutableContent: Bool, badgeAndSound: BadgeAndSound? = nil
  ) {
    self.id = id
    self.alert = alert
    self.hasMutableContent = hasMutableContent
    self.badgeAndSound = badgeAndSound
  }
}
