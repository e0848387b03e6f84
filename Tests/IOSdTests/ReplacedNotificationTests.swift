import PhonePolicy

@testable import IOSd

/// Extension and app each send iosd one message, and iosd takes them in either order.
@Suite("Notifications that take the place of others", .waits) final class ReplacedNotificationTests {
  private let directory = TemporaryDirectory()
  private var path: String { directory("notifications.jsonl") }
  private let clock = Clock()

  private func notification(
    _ source: PhoneNotification.Source, _ title: String, key: String?, withdraws: String? = nil,
    badgeIncrement: Int = 0
  ) -> PhoneNotification {
    PhoneNotification(
      push: source == .local ? nil : 1, source: source,
      NotificationText(title: title, body: "", badgeIncrement: badgeIncrement), key: key, withdraws: withdraws
    )
  }

  private var announcement: PhoneNotification { notification(.content, "Payment Incoming", key: "a") }
  private var receipt: PhoneNotification {
    notification(.local, "Received payment", key: "r", withdraws: "a", badgeIncrement: 1)
  }

  private func present(after shown: [PhoneNotification]) throws -> [String] {
    let centre = try NotificationCentre(path)
    for notification in shown { centre.show(notification, clock: clock) }
    let titles = centre.rows.filter(\.isThere).map(\.title)
    // As the next iosd reads the file.
    expect(try NotificationCentre(path).rows.filter(\.isThere).map(\.title), is: titles)
    return titles
  }

  @Test
  func `A repeated announcement takes the place of the earlier one, and the receipt that of the newest`()
    throws
  {
    expect(try present(after: [announcement, announcement, receipt]), is: ["Received payment"])
  }

  @Test func `An announcement that iosd takes after the receipt is beside it, and only once`() throws {
    expect(
      try present(after: [announcement, receipt, announcement, announcement]),
      is: ["Received payment", "Payment Incoming"])
  }

  @Test(arguments: [true, false])
  func `A receipt told by app and extension is there once, whoever is first`(isAppFirst: Bool) throws {
    let told = [receipt, notification(.content, "Received payment", key: "r", badgeIncrement: 1)]
    let centre = try NotificationCentre(path)
    for notification in isAppFirst ? told : told.reversed() {
      centre.show(notification, clock: clock)
    }
    #expect(centre.rows.filter(\.isThere).count == 1 && centre.badge == 1)
  }

  @Test func `Notifications without a key, and those of other keys, stay`() throws {
    let others = [
      notification(.original, "Push", key: nil), notification(.content, "Order", key: nil),
      notification(.content, "Another", key: "b"),
    ]
    expect(
      try present(after: others + [announcement, receipt]),
      is: [
        "Push", "Order", "Another", "Received payment",
      ])
  }
}
