/// One notification, as in os/notifications.jsonl. The last row of an id counts.
public struct NotificationRow: NumberedRow, Hashable {
  public var id: UInt64
  public var push: UInt64?
  public var source: String
  public var title: String
  public var subtitle: String?
  public var body: String
  /// The badge after this row.
  public var badge: Int
  public var level: String?
  public var sound: String?
  public var thread: String?
  public var category: String?
  /// How much the notification added to the badge; missing: 1.
  public var badgeIncrement: Int?
  /// False if it is only in the list, as a Focus is on.
  public var isDisplayed = true
  /// When it was shown.
  public var wallNs: Int64
  public var atNs: Int64
  /// The phone's boot, as in journals: `at_ns` begins again with each boot of the machine.
  public var boot: String?
  /// The key by which its process can withdraw it.
  public var key: String?
  /// The push's body, for the app when the user responds, as long as the notification is there. Only in the file: the
  /// list that iosd answers has no bodies.
  public var userInfo: String?
  /// Withdrawn: the user does not see it any more.
  public var isWithdrawn: Bool?
  /// The user's response; the notification has left the list.
  public var answer: String?
  /// When it was withdrawn or answered.
  public var goneWallNs: Int64?
  public var goneAtNs: Int64?

  public var isThere: Bool { isWithdrawn != true && answer == nil }
}
