import Ground
import Lightning
import PhonePolicy
import Wallet

/// The phone's answers in the language of stories, the same for both stages.
enum ScenarioWords {
  /// The phone's words without what differs from run to run: the number of a replacing push, and times.
  static func push(_ code: PushFateCode?, _ words: String?, isSilent: Bool, isShown: Bool) -> Scene.Push {
    let fate =
      switch code {
      case .replaced: "replaced by a newer one"
      case .late: "delivered late: the phone was off the network"
      default: words ?? (isSilent ? "on its way" : isShown ? "shown" : "not shown yet")
      }
    return Scene.Push(isSilent: isSilent, code: code, fate: fate)
  }

  static func task(_ identifier: String, state: String, why: String?) -> Scene.Task {
    let goesOn = ["waiting", "running", "expiring"]
    return Scene.Task(
      identifier: identifier, state: state, why: why, isOver: !goesOn.contains(state),
      runs: state == "running")
  }

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

  /// From the state's name in the phone's core.
  static func place(_ word: String, _ role: Role) -> Scene.Process.Place {
    switch word {
    case "launching": .starting
    case "foreground": .inFront
    case "background": .inBackground
    case "suspended": .suspended
    case "terminating", "expiring": .ending
    default: role == .extension ? .running : .starting
    }
  }
}

/// The notification centre of a simulated phone, its pushes and tasks; on a real phone iosd's rows have them.
struct StageCentre {
  struct Entry {
    var id: UInt64
    var push: UInt64?
    var key: String?
    var category: String?
    var badgeIncrement: Int
    var shown: Scene.Notification
  }

  /// The notifications in the list, the oldest first.
  private(set) var list: [Entry] = []
  private(set) var badge = 0
  private var lastID: UInt64 = 0
  private var arrived: [(push: PhonePush, fate: PushFate?)] = []
  private var shown: Set<UInt64> = []
  private(set) var tasks = StageTasks()

  var newest: Entry? { list.last }

  var pushes: [Scene.Push] {
    arrived.map { push, fate in
      ScenarioWords.push(
        fate?.code, fate?.description, isSilent: push.isSilent, isShown: shown.contains(push.id))
    }
  }

  mutating func note(_ event: PhoneEvent) {
    if case .pushArrived(let push) = event { arrived.append((push, nil)) }
  }

  mutating func note(_ directive: PhoneDirective) {
    switch directive {
    case .show(let notification):
      lastID += 1
      for key in notification.replacedKeys { withdraw(key) }
      if let push = notification.push { shown.insert(push) }
      badge = max(0, (notification.text.badge ?? badge) + notification.text.badgeIncrement)
      list.append(
        Entry(
          id: lastID, push: notification.push, key: notification.key, category: notification.text.category,
          badgeIncrement: notification.text.badgeIncrement,
          shown: Scene.Notification(
            isAsSent: notification.source == .original, title: notification.text.title,
            body: notification.text.body, isDisplayed: notification.isDisplayed)))
    case .setBadge(let number): badge = number
    case .withdraw(let key): withdraw(key)
    case .closeNotification(let id, _): list.removeAll { $0.id == id }
    case .recordFate(let push, let fate):
      guard let index = arrived.lastIndex(where: { $0.push.id == push }) else { return }
      arrived[index].fate = fate
    case .recordTask(let record): tasks.note(record)
    default: break
    }
  }

  private mutating func withdraw(_ key: String) {
    guard let index = list.lastIndex(where: { $0.key == key }) else { return }
    badge = max(0, badge - max(0, list.remove(at: index).badgeIncrement))
  }
}

/// The background tasks of a simulated phone; on a real phone iosd's rows have them.
struct StageTasks {
  private struct Row {
    var number: UInt64
    var identifier: String
    var fate: TaskRecord.Fate
    var hasRun = false

    var scene: Scene.Task { ScenarioWords.task(identifier, state: fate.state, why: fate.why) }
  }

  private var rows: [Row] = []

  mutating func note(_ record: TaskRecord) {
    let index =
      rows.firstIndex { $0.number == record.number }
      ?? {
        rows.append(Row(number: record.number, identifier: record.request.identifier, fate: record.fate))
        return rows.count - 1
      }()
    rows[index].fate = record.fate
    if case .runs = record.fate { rows[index].hasRun = true }
  }

  /// For each identifier the newest task that ran, else the newest.
  var newest: [Scene.Task] {
    var names: [String] = []
    for row in rows where !names.contains(row.identifier) { names.append(row.identifier) }
    return names.compactMap { name in
      let own = rows.filter { $0.identifier == name }
      return (own.last(where: \.hasRun) ?? own.last)?.scene
    }
  }

  var waiting: [Scene.Task] { rows.filter { if case .waits = $0.fate { true } else { false } }.map(\.scene) }
}

extension AppScreen {
  /// As the user reads them.
  var lines: [String] { [text] + [detail].compactMap { $0 } }
}
