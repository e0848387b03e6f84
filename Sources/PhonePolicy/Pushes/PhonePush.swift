/// One push, reduced to the fields that the phone's rules read.
public struct PhonePush: Hashable, Codable, Sendable {
  public var id: UInt64
  /// The alert as it was sent.
  public var alert: NotificationText?
  /// Whether the sender lets the extension change the alert.
  public var hasMutableContent: Bool
  /// Set for a push without an alert only.
  public var badgeAndSound: BadgeAndSound?
  /// Of the waking part of a visible push with `content-available`: the id of the visible part.
  public var of: UInt64?

  /// The push has nothing for the user to see or hear.
  public var isSilent: Bool { alert == nil && badgeAndSound == nil }

  public init(
    id: UInt64, alert: NotificationText?, hasMutableContent: Bool, badgeAndSound: BadgeAndSound? = nil,
    of visible: UInt64? = nil
  ) {
    self.id = id
    self.alert = alert
    self.hasMutableContent = hasMutableContent
    self.badgeAndSound = badgeAndSound
    of = visible
  }
}
