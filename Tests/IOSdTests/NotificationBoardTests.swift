import PhonePolicy
import Testing
import WaitingTests

@testable import IOSd

@Suite(.waits) struct NotificationBoardTests {
  private func row(_ id: UInt64, badge: Int, key: String? = "k") -> NotificationRow {
    NotificationRow(
      id: id, push: nil, source: "local", title: "a", body: "b", badge: badge, wall: 1, at: 2, key: key)
  }

  @Test(arguments: [Int.min, -1, 0]) func `A badge below zero in iosd's file of notifications counts as zero`(
    _ badge: Int
  ) {
    var board = NotificationBoard([.notification(row(1, badge: badge))])
    #expect(board.badge == 0)
    #expect(board.withdraw(key: "k", wall: 3, at: 4)?.badge == 0)
  }

  @Test func `The badge counts a shown notification until the wallet withdraws it`() {
    var board = NotificationBoard([.notification(row(7, badge: 2))])
    let text = NotificationText(title: "c", body: "d", badgeIncrement: 1)
    let shown = board.show(PhoneNotification(push: 9, source: .content, text, key: "x"), wall: 5, at: 6)
    #expect(shown.id == 8 && shown.badge == 3)
    #expect(board.withdraw(key: "x", wall: 7, at: 8)?.isWithdrawn == true)
    #expect(board.badge == 2)
    #expect(board.withdraw(key: "x", wall: 7, at: 8) == nil)
    #expect(board.rows.map(\.id) == [7, 8])
  }

  @Test func `A withdrawn announcement takes from the badge no more than it added`() {
    var board = NotificationBoard([.notification(row(7, badge: 2))])
    let text = NotificationText(title: "c", body: "d", badgeIncrement: 0)
    let shown = board.show(PhoneNotification(push: 9, source: .content, text, key: "x"), wall: 5, at: 6)
    #expect(shown.badge == 2 && shown.badgeIncrement == 0)
    // As the next iosd reads it.
    var next = NotificationBoard([.notification(shown)])
    #expect(next.withdraw(key: "x", wall: 7, at: 8)?.badge == 2)
  }

  @Test
  func `A push's badge number replaces the icon's badge, and later notifications count from there`() {
    var board = NotificationBoard([
      .notification(row(7, badge: 2)), .badge(BadgeRow(badge: 9, wall: 1, at: 2)),
    ])
    #expect(board.badge == 9)
    board.setBadge(4)
    var text = NotificationText(title: "c", body: "d", badgeIncrement: 1)
    #expect(board.show(PhoneNotification(push: 9, source: .content, text), wall: 5, at: 6).badge == 5)
    text.badge = 20
    #expect(board.show(PhoneNotification(push: 9, source: .content, text), wall: 5, at: 6).badge == 21)
  }

  @Test
  func `Notification rows keep their order and their time of showing when closed or withdrawn`() {
    var board = NotificationBoard((1...5).map { .notification(row($0, badge: Int($0), key: "\($0)")) })
    #expect(board.close(1, "default", wall: 10, at: 20)?.wall == 1)
    #expect(board.withdraw(key: "3", wall: 11, at: 21)?.at == 2)
    #expect(board.rows.map(\.id) == [1, 2, 3, 4, 5])
    #expect(board.rows.map(\.wall) == [1, 1, 1, 1, 1])
    #expect(board.rows.map(\.goneWall) == [10, nil, 11, nil, nil])
    #expect(board.rows.map(\.goneAt) == [20, nil, 21, nil, nil])
    // As the next iosd reads the file: there the changed row comes last.
    let file = [row(1, badge: 1), row(2, badge: 2), row(1, badge: 2)]
    #expect(NotificationBoard(file.map(BoardLine.notification)).rows.map(\.id) == [1, 2])
  }
}
