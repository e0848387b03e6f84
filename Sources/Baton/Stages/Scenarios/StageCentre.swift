import PhonePolicy
import Scenario

/// The notification centre of a simulated phone, its silent pushes and tasks; on a real phone iosd's rows have them.
struct StageCentre {
  struct Entry {
    var id: UInt64
    var key: String?
    var category: String?
    var shown: Scene.Notification
  }

  /// The notifications in the list, the oldest first.
  private(set) var list: [Entry] = []
  private(set) var badge = 0
  private var lastID: UInt64 = 0
  private var silent: [(push: UInt64, fate: PushFate?)] = []
  private(set) var tasks = StageTasks()

  var newest: Entry? { list.last }

  var silentPushes: [Scene.SilentPush] {
    silent.map { ScenarioWords.silentPush($0.fate?.code, $0.fate?.description) }
  }

  mutating func note(_ event: PhoneEvent) {
    if case .pushArrived(let push) = event, push.isSilent { silent.append((push.id, nil)) }
  }

  mutating func note(_ directive: PhoneDirective) {
    switch directive {
    case .show(let notification):
      lastID += 1
      badge = max(0, (notification.text.badge ?? badge) + notification.text.badgeIncrement)
      list.append(
        Entry(
          id: lastID, key: notification.key, category: notification.text.category,
          shown: Scene.Notification(
            isAsSent: notification.source == .original, title: notification.text.title,
            body: notification.text.body, isDisplayed: notification.isDisplayed)))
    case .setBadge(let number): badge = number
    case .withdraw(let key):
      guard let index = list.lastIndex(where: { $0.key == key }) else { return }
      list.remove(at: index)
      badge = max(0, badge - 1)
    case .closeNotification(let id, _): list.removeAll { $0.id == id }
    case .recordFate(let push, let fate):
      guard let index = silent.lastIndex(where: { $0.push == push }) else { return }
      silent[index].fate = fate
    case .recordTask(let record): tasks.note(record)
    default: break
    }
  }
}
