import Ground
import JSON
import DaemonRuntime
import PhonePolicy
import Scenario

// The phone itself, as iosd is asked and answers.
extension RealStage {
  // MARK: Deeds

  func set(_ change: DeviceChange) throws {
    func flag(_ name: String, _ isSo: Bool) throws {
      try phone.ask(.iosd, ControlMessage("device", [name: isSo ? "yes" : "no"]))
    }
    switch change {
    case .locked: try flag("locked", true)
    case .unlocked: try flag("locked", false)
    case .lowPowerMode(let isOn): try flag("low-power", isOn)
    case .backgroundRefresh(let isAllowed): try flag("background-refresh", isAllowed)
    case .notifications(let areAllowed): try flag("notifications", areAllowed)
    case .focus(let isOn): try flag("focus", isOn)
    case .charger(let isPlugged): try flag("charger", isPlugged)
    case .network(let isThere): try flag("network", isThere)
    case .storage(let isFull): try flag("storage-full", isFull)
    case .otherAudio(let plays): try flag("audio", plays)
    case .battery(let percent): try phone.ask(.iosd, ControlMessage("device", ["battery": "\(percent)"]))
    }
  }

  func sendSilentPush() throws {
    let payload = #"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#
    try phone.ask(.iosd, ControlMessage("push", body: Array(payload.utf8)))
  }

  func touch(_ touch: NotificationTouch) throws {
    let rows = try phone.askForJSON(.iosd, ControlMessage("notifications")).elements ?? []
    guard let newest = Self.there(rows).last?["id"]?.uint else { throw ScenarioWords.nothingToTouch }
    var fields = ["id": "\(newest)"]
    switch touch {
    case .tap: fields["do"] = "tap"
    case .dismiss: fields["do"] = "dismiss"
    case .action(let name): (fields["do"], fields["action"]) = ("action", name)
    }
    try wish("touch", fields)
  }

  /// What the phone may refuse, for a reason that is part of the story.
  func wish(_ verb: String, _ fields: [String: String]) throws {
    var message = ControlMessage(verb)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { message[name] = value }
    do throws(ControlClientError) {
      try phone.ask(.iosd, message)
    } catch {
      if case .refused(let sentence) = error { throw CannotBeDone(sentence) }
      throw error
    }
  }

  func checkNotSuspended(_ role: Role) throws {
    let state = try phone.askForJSON(.iosd, ControlMessage("status"))[role.rawValue]?["state"]?.text
    if state == AppState.suspended.word { throw ScenarioWords.isSuspended }
  }

  // MARK: Looking

  /// Neither taken back nor touched.
  static func there(_ notifications: [JSONValue]) -> [JSONValue] {
    notifications.filter { $0["withdrawn"]?.flag != true && $0["answer"] == nil }
  }

  static func shown(_ row: JSONValue) -> Scene.Notification {
    Scene.Notification(
      isAsSent: row["source"]?.text == PhoneNotification.Source.original.rawValue,
      title: row["title"]?.text ?? "", body: row["body"]?.text ?? "",
      isDisplayed: row["displayed"]?.flag ?? true)
  }

  func phoneScene(_ status: JSONValue) throws -> PhoneScene {
    let pushes = try phone.askForJSON(.iosd, ControlMessage("pushes")).elements ?? []
    let tasks = try phone.askForJSON(.iosd, ControlMessage("tasks")).elements ?? []
    return PhoneScene(
      device: Self.device(status["device"]), badge: Int(clamping: status["badge"]?.int ?? 0),
      silentPushes: pushes.filter { $0["visible"]?.flag == false && $0["badge_or_sound"] == nil }.map {
        ScenarioWords.silentPush(
          ($0["fate_code"]?.text).flatMap(PushFateCode.init), $0["fate"]?.text)
      },
      tasks: Self.tasks(tasks),
      waiting: tasks.filter { $0["state"]?.text == "waiting" }.map {
        ScenarioWords.task($0["identifier"]?.text ?? "", state: "waiting", why: $0["why"]?.text)
      },
      playsAudio: status["now_playing"] != nil,
      isAppWarned: status["app"]?["memory_warned"]?.flag ?? false)
  }

  private static func device(_ facts: JSONValue?) -> DeviceState {
    var state = DeviceState()
    func flag(_ name: String, _ place: WritableKeyPath<DeviceState, Bool>) {
      if let isSo = facts?[name]?.flag { state[keyPath: place] = isSo }
    }
    flag("locked", \.isLocked)
    flag("unlocked_before", \.hasBeenUnlocked)
    flag("low_power", \.isInLowPowerMode)
    flag("background_refresh", \.allowsBackgroundRefresh)
    flag("notifications", \.allowsNotifications)
    flag("focus", \.hasFocus)
    flag("charger", \.isCharging)
    flag("network", \.hasNetwork)
    flag("storage_full", \.isStorageFull)
    flag("audio", \.playsOtherAudio)
    if let percent = facts?["battery"]?.int { state.batteryPercent = Int(clamping: percent) }
    return state
  }

  private static func tasks(_ rows: [JSONValue]) -> [Scene.Task] {
    var names: [String] = []
    for case let name? in rows.map({ $0["identifier"]?.text }) where !names.contains(name) {
      names.append(name)
    }
    return names.compactMap { name in
      let own = rows.filter { $0["identifier"]?.text == name }
      guard let row = own.last(where: { $0["launched_at_ns"] != nil }) ?? own.last else { return nil }
      return ScenarioWords.task(name, state: row["state"]?.text ?? "", why: row["why"]?.text)
    }
  }
}
