/// One push: the fields that the phone's rules read, and the payload that it hands on.
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
  public var payload: String?

  /// The push has nothing for the user to see or hear.
  public var isSilent: Bool { alert == nil && badgeAndSound == nil }

  public init(
    id: UInt64, alert: NotificationText?, hasMutableContent: Bool, badgeAndSound: BadgeAndSound? = nil,
    of visible: UInt64? = nil, payload: String? = nil
  ) {
    self.id = id
    self.alert = alert
    self.hasMutableContent = hasMutableContent
    self.badgeAndSound = badgeAndSound
    of = visible
    self.payload = payload
  }

  /// To the app, or to the extension.
  func message(milliseconds: Int64 = 0) -> PhoneMessage {
    .push(id: id, deadlineMilliseconds: milliseconds, isSilent: isSilent, payload: payload)
  }
}
