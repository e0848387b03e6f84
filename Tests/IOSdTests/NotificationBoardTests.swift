@testable import IOSd
@testable import PhonePolicy

@Suite(.waits) struct NotificationBoardTests {
  private func row(_ id: UInt64, badge: Int, key: String? = "k") -> NotificationRow {
    var row = NotificationRow(
      id: id, source: "local", title: "a", body: "b", badge: badge, wallNs: 1, atNs: 2)
    row.key = key
    return row
  }

  @Test(arguments: [Int.min, -1, 0]) func `A badge below zero in iosd's file of notifications counts as zero`(
    _ badge: Int
  ) {
    var board = NotificationBoard([.notification(row(1, badge: badge))])
    expect(board.badge, is: 0)
    expect(board.withdraw(key: "k", wall: 3, at: 4)?.badge, is: 0)
  }

  @Test func `The badge counts a shown notification until the wallet withdraws it`() {
    var board = NotificationBoard([.notification(row(7, badge: 2))])
    let text = NotificationText(title: "c", body: "d", badgeIncrement: 1)
    let shown = board.show(PhoneNotification(push: 9, source: .content, text, key: "x"), wall: 5, at: 6)
    #expect(shown.id == 8 && shown.badge == 3)
    expect(board.withdraw(key: "x", wall: 7, at: 8)?.isWithdrawn, is: true)
    expect(board.badge, is: 2)
    #expect(board.withdraw(key: "x", wall: 7, at: 8) == nil)
    expect(board.rows.map(\.id), is: [7, 8])
  }

  @Test func `A withdrawn announcement takes from the badge no more than it added`() {
    var board = NotificationBoard([.notification(row(7, badge: 2))])
    let text = NotificationText(title: "c", body: "d", badgeIncrement: 0)
    let shown = board.show(PhoneNotification(push: 9, source: .content, text, key: "x"), wall: 5, at: 6)
    #expect(shown.badge == 2 && shown.badgeIncrement == 0)
    // As the next iosd reads it.
    var next = NotificationBoard([.notification(shown)])
    expect(next.withdraw(key: "x", wall: 7, at: 8)?.badge, is: 2)
  }

  @Test func `A push's badge number replaces the icon's badge, and later notifications count from there`() {
    var board = NotificationBoard([
      .notification(row(7, badge: 2)), .badge(BadgeRow(badge: 9, wallNs: 1, atNs: 2)),
    ])
    expect(board.badge, is: 9)
    board.setBadge(4)
    var text = NotificationText(title: "c", body: "d", badgeIncrement: 1)
    expect(board.show(PhoneNotification(push: 9, source: .content, text), wall: 5, at: 6).badge, is: 5)
    text.badge = 20
    expect(board.show(PhoneNotification(push: 9, source: .content, text), wall: 5, at: 6).badge, is: 21)
  }

  @Test func `Notification rows keep their order and their time of showing when closed or withdrawn`() {
    var board = NotificationBoard((1...5).map { .notification(row($0, badge: Int($0), key: "\($0)")) })
    expect(board.close(1, "default", wall: 10, at: 20)?.wallNs, is: 1)
    expect(board.withdraw(key: "3", wall: 11, at: 21)?.atNs, is: 2)
    expect(board.rows.map(\.id), is: [1, 2, 3, 4, 5])
    expect(board.rows.map(\.wallNs), is: [1, 1, 1, 1, 1])
    expect(board.rows.map(\.goneWallNs), is: [10, nil, 11, nil, nil])
    expect(board.rows.map(\.goneAtNs), is: [20, nil, 21, nil, nil])
    // As the next iosd reads the file: there the changed row comes last.
    let file = [row(1, badge: 1), row(2, badge: 2), row(1, badge: 2)]
    expect(NotificationBoard(file.map(BoardLine.notification)).rows.map(\.id), is: [1, 2])
  }
}

@Suite("The notification centre on real processes", .waits) struct NotificationCentreTests {
  private let alert =
    #"{"aps":{"alert":{"title":"Push","subtitle":"s","body":"b"},"sound":"default","thread-id":"t","#
    + #""category":"INCOMING_PAYMENT","interruption-level":"time-sensitive"}}"#

  private func row(_ phone: PhoneProcess, _ id: Int = 1) throws -> [String: Any] {
    _ = try phone.notifications(id)
    return try #require(try phone.rows("notifications").first { $0["id"] as? Int == id })
  }

  /// A phone with the wallet's app, started once and in front.
  private func walletPhone() throws -> PhoneProcess {
    let phone = try PhoneProcess(app: "\(Started.directory)/mainappd")
    try phone.ask("open")
    try Wait.until("the app has registered its categories") {
      try phone.ask("categories").bodyText.contains("INCOMING_PAYMENT")
    }
    return phone
  }

  @Test(.shows("B-1.2.1"))
  func
    `Without the entitlement the extension's critical content is refused, and the push's fate has the reason`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-critical")
    try phone.push("the original")
    let shown = try row(phone)
    expect(shown["body"] as? String, is: "the original")
    expect(shown["level"] as? String, is: "active")
    let fate = try phone.rows("pushes").first?["fate"] as? String
    expect(
      fate?.hasPrefix("shown with its original alert: a critical notification needs the entitlement"),
      is: true)
    let entitled = try PhoneProcess(ext: "ext-critical", ["--entitlements", "critical-alerts"])
    try entitled.push("the original")
    expect(try row(entitled)["level"] as? String, is: "critical")
  }

  @Test(.shows("B-1.2.2"))
  func
    `At its start the app registers the category INCOMING_PAYMENT: action OPEN_NOW, and dismissals reported`()
    throws
  {
    let phone = try walletPhone()
    expect(
      try phone.ask("categories").bodyText,
      is:
        #"[{"id":"INCOMING_PAYMENT","actions":[{"id":"OPEN_NOW","title":"Open Now","foreground":true}],"dismiss":true}]"#
    )
  }

  @Test(.shows("B-1.2.3"))
  func
    `The action OPEN_NOW brings the app to the front, and the app's journal has the action and a dismissal`()
    throws
  {
    let phone = try walletPhone()
    try phone.ask("home")
    try phone.ask("push", body: alert)
    try phone.ask("push", body: alert)
    _ = try phone.notifications(2)
    expect(
      try phone.ask("touch", ["id": "1", "do": "action", "action": "OPEN_NOW"])["app"], is: "foreground")
    try Wait.until("the journal has it") {
      phone.journal(of: "mainappd").contains("reason=notification action=OPEN_NOW id=1")
    }
    try phone.ask("touch", ["id": "2", "do": "dismiss"])
    try Wait.until("the journal has it") {
      phone.journal(of: "mainappd").contains("notification 2 was dismissed")
    }
    expect(try row(phone)["answer"] as? String, is: "OPEN_NOW")
    expect(
      try phone.refusal("touch", ["id": "2", "do": "tap"]),
      is: "notification 2 is gone from the list; `baton list notifications` lists the present ones")
    expect(try phone.rows("ps").count, is: 1)
  }

  @Test
  func `Registered notification categories outlive a power-off; if their file is damaged, there are none`()
    throws
  {
    let phone = try walletPhone()
    let registered = try phone.ask("categories").bodyText
    #expect(registered.contains("INCOMING_PAYMENT"))
    try phone.ask("home")
    try phone.ask("push", body: alert)
    _ = try phone.notifications(1)
    try phone.down()
    try phone.restart()
    #expect(try phone.rows("ps", all: false).isEmpty)
    expect(try phone.ask("categories").bodyText, is: registered)
    expect(
      try phone.ask("touch", ["id": "1", "do": "action", "action": "OPEN_NOW"])["app"], is: "foreground")
    try phone.down()
    try Data("[{".utf8).write(to: URL(filePath: "\(phone.home)/os/categories.json"))
    try phone.restart()
    expect(try phone.ask("categories").bodyText, is: "[]")
  }

  @Test(.shows("B-1.2.4"))
  func `A notification's row has level, sound, thread, category, and whether a Focus let it be displayed`()
    throws
  {
    let phone = try PhoneProcess()
    try phone.ask("push", body: alert)
    let shown = try row(phone)
    expect(shown["subtitle"] as? String, is: "s")
    expect(shown["level"] as? String, is: "time-sensitive")
    expect(shown["sound"] as? String, is: "default")
    expect(shown["thread"] as? String, is: "t")
    expect(shown["category"] as? String, is: "INCOMING_PAYMENT")
    expect(shown["displayed"] as? Bool, is: true)
    try phone.ask("device", ["focus": "yes"])
    try phone.ask("push", body: alert)
    expect(try row(phone, 2)["displayed"] as? Bool, is: true)
    try phone.ask("push", body: #"{"aps":{"alert":"plain"}}"#)
    expect(try row(phone, 3)["displayed"] as? Bool, is: false)
  }

  @Test(
    arguments: [
      "", "x", "{}", #"[{"id":"A"}]"#, #"[{"id":"","actions":[],"dismiss":true}]"#,
      #"[{"id":"A B","actions":[],"dismiss":true}]"#,
      #"[{"id":"A","actions":[],"dismiss":true},{"id":"A","actions":[],"dismiss":true}]"#,
    ])
  func `A malformed list of notification categories is rejected`(_ body: String) {
    #expect(CategoryList.read(Array(body.utf8)) == nil)
  }
}
