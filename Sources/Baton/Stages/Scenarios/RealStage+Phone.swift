import Ground
import DaemonRuntime
import PhonePolicy
import Wallet

// Requests to iosd, and its answers.
extension RealStage {
  // MARK: Actions

  func set(_ change: DeviceChange) throws {
    func flag(_ name: String, _ isOn: Bool) throws {
      try driver.switchDevice(name, isOn ? "yes" : "no")
    }
    switch change {
    case .locked: try flag("locked", true)
    case .unlocked: try flag("locked", false)
    case .lowPowerMode(let isOn): try flag("low-power", isOn)
    case .backgroundRefresh(let isAllowed): try flag("background-refresh", isAllowed)
    case .notifications(let areAllowed): try flag("notifications", areAllowed)
    case .lockScreen(let isOn): try flag("lock-screen", isOn)
    case .centre(let isOn): try flag("centre", isOn)
    case .banners(let isOn): try flag("banners", isOn)
    case .focus(let isOn): try flag("focus", isOn)
    case .charger(let isPlugged): try flag("charger", isPlugged)
    case .network(let isThere): try flag("network", isThere)
    case .storage(let isFull): try flag("storage-full", isFull)
    case .otherAudio(let plays): try flag("audio", plays)
    case .battery(let percent): try driver.switchDevice("battery", "\(percent)")
    }
  }

  func sendSilentPush() throws {
    try driver.push(#"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#)
  }

  func sendVisiblePush() throws {
    try driver.push(
      #"{"aps":{"alert":{"title":"Incoming payment"},"mutable-content":1},"reason":"IncomingPayment"}"#)
  }

  func touch(_ touch: NotificationTouch) throws {
    guard let newest = try phone.notifications().last(where: \.isThere)?.id else {
      throw ScenarioWords.nothingToTouch
    }
    var fields = ["id": "\(newest)"]
    switch touch {
    case .tap: fields["do"] = "tap"
    case .dismiss: fields["do"] = "dismiss"
    case .action(let name): (fields["do"], fields["action"]) = ("action", name)
    }
    try request("touch", fields)
  }

  func press(_ title: String) throws {
    guard let button = ScreenButton(title: title) else { throw ScenarioWords.noButton(title) }
    try request { phone throws(ControlClientError) in
      try phone.askApp(ControlMessage("press", ["button": button.rawValue]), inFront: true)
    }
  }

  /// Asks iosd; a refusal is part of the story.
  func request(_ verb: String, _ fields: [String: String]) throws {
    var message = ControlMessage(verb)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { message[name] = value }
    try request { phone throws(ControlClientError) in try phone.ask(.iosd, message) }
  }

  func request(_ ask: (Baton.Phone) throws(ControlClientError) -> ControlMessage) throws {
    do throws(ControlClientError) {
      _ = try ask(phone)
    } catch {
      switch error {
      case .refused(let sentence), .outcomeUnknown(let sentence): throw CannotBeDone(sentence)
      default: throw error
      }
    }
  }

  func checkNotSuspended(_ role: Role) throws {
    if try driver.state(of: role) == AppState.suspended.word { throw ScenarioWords.isSuspended }
  }

  // MARK: State

  static func shown(_ row: NotificationRow) -> Scene.Notification {
    Scene.Notification(
      isAsSent: row.source == PhoneNotification.Source.original.rawValue, title: row.title, body: row.body,
      isDisplayed: row.isDisplayed)
  }

  func phoneScene(_ status: PhoneFacts) throws -> PhoneScene {
    let shown = Set(try phone.notifications().compactMap(\.push))
    let tasks = try phone.tasks()
    return PhoneScene(
      device: status.device?.state ?? DeviceState(), badge: status.badge,
      pushes: try phone.pushes().map {
        ScenarioWords.push($0.fateCode, $0.fate, isSilent: $0.isSilent, isShown: shown.contains($0.id))
      },
      tasks: Self.tasks(tasks),
      waiting: tasks.filter { $0.state == "waiting" }.map {
        ScenarioWords.task($0.identifier, state: "waiting", why: $0.why)
      },
      playsAudio: status.nowPlaying != nil, isAppWarned: status.app.memoryWarned ?? false)
  }

  private static func tasks(_ rows: [TaskRow]) -> [Scene.Task] {
    var names: [String] = []
    for name in rows.map(\.identifier) where !names.contains(name) { names.append(name) }
    return names.compactMap { name in
      let own = rows.filter { $0.identifier == name }
      guard let row = own.last(where: { $0.launchedAt != nil }) ?? own.last else { return nil }
      return ScenarioWords.task(name, state: row.state, why: row.why)
    }
  }
}
