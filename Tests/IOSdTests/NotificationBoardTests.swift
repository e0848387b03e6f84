import PhonePolicy
import Testing

@testable import IOSd

@Suite struct NotificationBoardTests {
  private func row(_ id: UInt64, badge: Int, key: String? = "k") -> NotificationRow {
    NotificationRow(
      id: id, push: nil, source: "local", title: "a", body: "b", badge: badge, wall: 1, at: 2, key: key)
  }

  @Test(arguments: [Int.min, -1, 0]) func aBadgeBelowZeroInTheFileIsNone(_ badge: Int) {
    var board = NotificationBoard([row(1, badge: badge)])
    #expect(board.badge == 0)
    #expect(board.withdraw(key: "k", wall: 3, at: 4)?.badge == 0)
  }

  @Test func whatIsShownAndTakenBackCountsInTheBadge() {
    var board = NotificationBoard([row(7, badge: 2)])
    let text = NotificationText(title: "c", body: "d", badgeIncrement: 1)
    let shown = board.show(PhoneNotification(push: 9, source: .content, text, key: "x"), wall: 5, at: 6)
    #expect(shown.id == 8 && shown.badge == 3)
    #expect(board.withdraw(key: "x", wall: 7, at: 8)?.isWithdrawn == true)
    #expect(board.badge == 2)
    #expect(board.withdraw(key: "x", wall: 7, at: 8) == nil)
    #expect(board.rows.map(\.id) == [7, 8])
  }
}
