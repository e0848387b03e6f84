import Ground
import Lightning
import PhonePolicy
import Wallet

/// The phone's answers in the language of stories, the same for both stages.
enum ScenarioWords {
  static let unevenChannel =
    "the channel has an open HTLC, or wallet and peer disagree on the wallet's balance"
  static let noMoreParts = CannotBeDone("the payment is not in parts, or all its parts were sent")
  static func noButton(_ title: String) -> CannotBeDone {
    CannotBeDone("the app's screen has no button “\(title)” now")
  }
  static let senderHasNotFailed = CannotBeDone("the sender's payment has not failed; it pays once")
  static let isSuspended = CannotBeDone("cannot freeze or thaw a suspended process")
  static let nothingToTouch = CannotBeDone("there is no notification in the list")

  static func code(_ name: String) throws(CannotBeDone) -> FailureCode {
    guard let code = FailureCode(name: name) else { throw CannotBeDone("BOLT 4 has no failure `\(name)`") }
    return code
  }
}

/// The rows that iosd would keep of a simulated phone, without times.
struct StageRows {
  private(set) var board = NotificationBoard()
  private(set) var pushes = NewestRows<PushRow>()
  private(set) var tasks = NewestRows<TaskRow>()

  mutating func note(_ event: PhoneEvent) {
    guard case .pushArrived(let push) = event else { return }
    pushes.keep(PushRow(push, wall: 0, at: 0))
  }

  mutating func note(_ directive: PhoneDirective) {
    switch directive {
    case .show(let notification):
      for key in notification.replacedKeys { _ = board.withdraw(key: key, wall: 0, at: 0) }
      _ = board.show(notification, wall: 0, at: 0)
    case .setBadge(let number): board.setBadge(number)
    case .withdraw(let key): _ = board.withdraw(key: key, wall: 0, at: 0)
    case .closeNotification(let id, let touch): _ = board.close(id, touch.word, wall: 0, at: 0)
    case .recordFate(let push, let fate):
      guard var row = pushes.row(push) else { return }
      row.take(fate, wall: 0, at: 0)
      pushes.replace(row)
    case .recordTask(let record):
      var row =
        tasks.row(record.number)
        ?? TaskRow(id: record.number, of: record.request, wall: 0, at: 0, earliestAt: 0)
      row.take(record.fate, at: 0)
      tasks.keep(row)
    default: break
    }
  }
}

extension Collection {
  /// Of the elements that are meant, the numbers from 1.
  func numbers(where isMeant: (Element) -> Bool) -> [Int] {
    enumerated().filter { isMeant($0.element) }.map { $0.offset + 1 }
  }
}

extension AppScreen {
  /// As the user reads them.
  var lines: [String] { [text] + [detail].compactMap { $0 } }
}
