/// How soon a peer whose pushes announce each payment has announced those that wait for an absent wallet: the same for
/// the peer and for those who check it.
public enum AnnouncementPace {
  /// From the end of the last connection, or the peer's start, to the first announcements.
  public static let first = TimeSpan.seconds(2)
  /// The most payments that are announced at once; the parts of one count once. An extension serves one push after the
  /// other, and the phone shows those behind its limit as they were sent: without amount, hold or record.
  public static let batch = 16
  /// From one batch to the next.
  public static let pause = TimeSpan.seconds(2)

  /// How long after the first batch a payment is announced before which so many others are.
  public static func delay(behind others: Int) -> TimeSpan {
    TimeSpan(nanoseconds: pause.nanoseconds * Int64(max(0, others) / batch))
  }

  /// How often a pause doubles, and its end: a user sees each push.
  public static let doublings = 11
  private static let longest = TimeSpan.seconds(3600)

  /// A pause after so many calls that nothing came of.
  public static func pause(_ pause: TimeSpan, after calls: Int) -> TimeSpan {
    min(TimeSpan(nanoseconds: pause.nanoseconds << Int64(max(0, min(calls, doublings)))), longest)
  }
}
