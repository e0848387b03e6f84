import Ground
import PhonePolicy

/// A question of a story; its answer is compared with the expected one.
public enum Question: Hashable, Sendable {
  case holder
  case epoch
  case appShows
  case howIs(Role)
  case whyEnded(Role)
  case howIsThePhone
  case payments
  case senders
  case invoices
  case balance
  case notifications
  case badge
  case silentPushes
  case pushes
  case task(String)
  case audio
  case records
  case screen

  /// An answer that is the same in every run: without times and process ids.
  public func answer(in scene: Scene, of scenario: Scenario) -> [String] {
    switch self {
    case .holder: [holderSentence(scene)]
    case .epoch: [scene.epoch == 0 ? "the node was never claimed" : "epoch \(scene.epoch)"]
    case .appShows: [appSentence(scene.app)]
    case .howIs(let role): [processSentence(scene[role], role)]
    case .whyEnded(let role): [scene[role].lastEnd ?? "the \(role.rawValue) has not ended yet"]
    case .howIsThePhone: DeviceWords.of(scene.phone.device)
    case .payments: paymentSentences(scene, scenario)
    case .senders: senderSentences(scene, scenario)
    case .invoices: Self.invoiceSentences(scene, scenario)
    case .balance: [Self.balanceSentence(scene)]
    case .notifications: scene.notifications.isEmpty ? ["nothing"] : scene.notifications.map(\.words)
    case .badge: [scene.phone.badge == 0 ? "nothing" : "\(scene.phone.badge)"]
    case .silentPushes: Self.pushSentences(scene.phone.silentPushes, "silent push")
    case .pushes: Self.pushSentences(scene.phone.pushes, "push")
    case .task(let identifier):
      [scene.phone.task(identifier)?.words ?? "the app has not asked for the task “\(identifier)”"]
    case .records: recordSentences(scene, scenario)
    case .screen: scene.screen ?? ["the app in front has no screen of incoming payments"]
    case .audio: [scene.phone.playsAudio ? "the app plays audio" : "the app plays nothing"]
    }
  }

  private func holderSentence(_ scene: Scene) -> String {
    if let holder = scene.holder { return "the \(holder.rawValue) holds the node" }
    guard let last = scene.newestClaim else { return "nobody has ever held the node" }
    return "nobody holds the node; the \(last.rawValue) held it last"
  }

  private func appSentence(_ app: Scene.Process) -> String {
    app.isThere ? "the app shows “\(app.shows)”" : "the app does not run"
  }

  private func processSentence(_ process: Scene.Process, _ role: Role) -> String {
    let name = "the \(role.rawValue)"
    let frozen = process.isFrozen ? ", frozen" : ""
    switch process.place {
    case .notStarted: return "\(name) has never run"
    case .ended(let why): return "\(name) has ended: \(why)"
    case .starting: return "\(name) starts\(frozen)"
    case .inFront: return "\(name) is in front\(frozen)"
    case .inBackground: return "\(name) is in the background\(frozen)"
    case .suspended: return "\(name) is suspended"
    case .running: return "\(name) runs\(frozen)"
    case .ending: return "\(name) is terminating\(frozen)"
    }
  }

  private static func pushSentences(_ pushes: [Scene.Push], _ kind: String) -> [String] {
    guard !pushes.isEmpty else { return ["no \(kind) has arrived yet"] }
    return pushes.enumerated().map { "\(kind) \($0.offset + 1): \($0.element.fate)" }
  }

  private func recordSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scene.records.isEmpty else { return ["nothing"] }
    return scene.records.map { record in
      let amount = scenario.payments.first { $0.number == record.number }?.amountSat ?? 0
      return
        "payment \(record.number) of \(AmountText.words(sat: amount)), \(record.isHeld ? "held" : "not held")"
    }
  }

  private func senderSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scene.senders.isEmpty else { return ["no sender tries again"] }
    return scene.senders.flatMap { sender in
      let amount = scenario.payments.first { $0.number == sender.number }?.amountSat ?? 0
      return sender.words(amount: AmountText.words(sat: amount))
    }
  }

  private func paymentSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scene.payments.isEmpty else { return ["nobody has paid yet"] }
    var seen: [Int] = []
    return scene.payments.map { payment in
      let isAgain = seen.contains(payment.number)
      seen.append(payment.number)
      let planned = scenario.payments.first { $0.number == payment.number }
      let name =
        "payment \(payment.number) of \(AmountText.words(sat: planned?.amountSat ?? 0))\(isAgain ? ", paid again" : "")"
      let place = payment.number - 1
      let times = scene.receivedTimes.indices.contains(place) ? scene.receivedTimes[place] : 0
      return "\(name): \(Self.words(payment.state, receivedTimes: times))"
    }
  }

  private static func words(_ state: Scene.Payment.State, receivedTimes: Int) -> String {
    switch state {
    case .waits: "waits for the wallet"
    case .underWay: "is on its way"
    case .settled: "settled, and the wallet has it \(receivedTimes == 1 ? "once" : "\(receivedTimes) times")"
    case .failed(let word): "failed, \(failureWords(word))"
    }
  }

  private static func failureWords(_ word: String) -> String {
    switch word {
    case "recipient-away": "as the wallet did not connect in time"
    case "channel-failed": "as the wallet's channel has failed"
    case "already-paid": "as this invoice is paid already"
    case "already-pending": "as a payment of this invoice is on its way"
    case "no-balance": "as the peer's balance in the channel is too low"
    case "refused-by-recipient": "as the wallet refused it"
    case "on-order": "as the peer was told to fail it"
    default: word
    }
  }
}

/// The device's switches in the words of a story.
enum DeviceWords {
  /// The switches that differ from a new phone.
  static func of(_ device: DeviceState) -> [String] {
    var words: [String] = []
    if device.isLocked {
      words.append(
        device.hasBeenUnlocked
          ? "the phone is locked" : "the phone is locked, and was not unlocked since it was started")
    }
    if device.isInLowPowerMode { words.append("Low Power Mode is on") }
    if !device.allowsBackgroundRefresh { words.append("Background App Refresh is off") }
    if !device.allowsNotifications { words.append("the wallet may show no notifications") }
    if !device.showsOnLockScreen { words.append("alerts on the lock screen are off") }
    if !device.showsInCentre { words.append("alerts in the Notification Centre are off") }
    if !device.showsBanners { words.append("banners are off") }
    if device.hasFocus { words.append("a Focus is on") }
    if device.batteryPercent < 100 { words.append("the battery is at \(device.batteryPercent) percent") }
    if device.isCharging { words.append("the charger is plugged in") }
    if !device.hasNetwork { words.append("the network is gone") }
    if device.isStorageFull { words.append("the storage is full") }
    if device.playsOtherAudio { words.append("another app plays audio") }
    return words.isEmpty ? ["the phone is as ever"] : words
  }
}
