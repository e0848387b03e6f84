import Ground
import PhonePolicy

/// The meaning of one line of a story.
public enum Command: Hashable, Sendable {
  /// A line of the story's head: a setting of its phone or its peer.
  case given(Setting)
  case make(StoryAction)
  case wait(Condition)
  case pass(TimeSpan)
  case ask(Question)
  /// The end of the story: everything is judged.
  case verdict
}

/// An action of the user or a sender, or a fault.
public enum StoryAction: Hashable, Sendable {
  // The user, and a sender.
  case open
  case home
  case quit
  /// Home and back, faster than a user could.
  case homeAndBack(times: Int)
  case pay(number: Int)
  /// As `pay`, when the invoice has expired.
  case payExpired(number: Int)
  /// Only the first part.
  case payInParts(number: Int, parts: Int)
  case payNextPart(number: Int)
  /// The user pays an external invoice with the wallet.
  case payInvoice(number: Int)

  // Faults of processes.
  case kill(Role)
  case freeze(Role)
  case freezeInside(Role)
  case thaw(Role)

  // Faults of files.
  case replaceLock(Role)
  case emptyHeartbeat
  case copyDatabase
  case restoreCopy

  // Faults of messages and of the peer.
  case restartPeer
  case stopPeer
  case startPeer
  case breakConnection
  case loseMessage
  case repeatMessage
  case losePush
  /// The peer fails the next payments with a code of BOLT 4.
  case failNext(times: Int, code: String)
  /// The peer force-closes the channel.
  case failChannel

  // The phone itself.
  case device(DeviceChange)
  case silentPush
  /// With an alert, about no payment of the peer.
  case visiblePush
  /// The user's response to the newest present notification.
  case touch(NotificationTouch)
  /// A button of the app's screen, by its title.
  case press(String)
  case launchTask(String)
  case expireTask(String)

  // Faults of the phone.
  /// Unless it stays locked, the user unlocks the phone right after the boot.
  case reboot(staysLocked: Bool)
  /// A sender pays while the phone is off.
  case payInReboot(number: Int)
  case sleepDevice(TimeSpan)
  case stepClock(seconds: Int64)

  /// The process that a fault hits; the story waits until it runs.
  var target: Role? {
    switch self {
    case .kill(let role), .freeze(let role), .freezeInside(let role), .thaw(let role): role
    default: nil
    }
  }
}

/// A condition that a story waits for.
public enum Condition: Hashable, Sendable {
  case runs(Role)
  case ended(Role)
  case connected(Role)
  case holds(Role)
  case noHolder
  case appShows(String)
  case settled(number: Int)
  case failed(number: Int)
  case waits(number: Int)
  case senderAnswered(number: Int)
  case invoiceExpired(number: Int)
  case kept(number: Int)
  case shown(number: Int)
  case invoicePaid(number: Int)
  case invoiceFailed(number: Int)
  case frozen(Role)
  case suspended(Role)
  case inFront
  case shownAsSent
  case sees(title: String)
  case screenShows(String)
  case silentPushOver
  case silentPushCompleted
  case taskOver(String)
  case taskRuns(String)
  case taskWaits(String, because: String)
  case audioPlays
  case warnedOfMemory
  /// No payment is pending, and both sides of the channel agree.
  case allSettled

  public func holds(in scene: Scene) -> Bool {
    switch self {
    case .runs(let role):
      switch scene[role].place {
      case .inFront, .inBackground, .suspended, .running: true
      case .notStarted, .ended, .starting, .ending: false
      }
    // Not if it has never run: it may be about to start.
    case .ended(let role): scene[role].hasEnded
    case .connected(let role): scene[role].isConnected && scene.holder == role
    case .holds(let role): scene.holder == role
    case .noHolder: scene.holder == nil
    case .appShows(let text): scene.app.shows == text
    case .settled(let number): scene.payments(number).contains { $0.state == .settled }
    case .failed(let number): scene.payments(number).contains { $0.isFailed }
    case .waits(let number): scene.payments(number).last?.state == .waits
    case .senderAnswered(let number): scene.sender(of: number).map { $0.told != .nothing } ?? false
    case .invoiceExpired(let number): scene.expiredInvoices.contains(number)
    case .kept(let number): scene.keptParts.contains(number)
    case .shown(let number): scene.notifications.contains { $0.tells(ofPayment: number) }
    case .invoicePaid(let number): scene.invoice(number) == .paid
    case .invoiceFailed(let number): scene.invoice(number) == .failed
    case .frozen(let role): scene[role].isFrozen
    case .suspended(let role): scene[role].place == .suspended
    case .inFront: scene.app.place == .inFront
    case .sees(let title): scene.notifications.contains { !$0.isAsSent && $0.title == title }
    case .screenShows(let text): scene.screen?.first == text
    case .shownAsSent: scene.notifications.contains(where: \.isAsSent)
    case .silentPushOver: scene.phone.silentPushes.last?.isOver ?? false
    case .silentPushCompleted: scene.phone.silentPushes.last?.code == .completed
    case .taskOver(let identifier): scene.phone.task(identifier)?.isOver ?? false
    case .taskRuns(let identifier): scene.phone.tasks.contains { $0.identifier == identifier && $0.runs }
    case .taskWaits(let identifier, let why):
      scene.phone.waiting.contains { $0.identifier == identifier && $0.why == why }
    case .audioPlays: scene.phone.playsAudio
    case .warnedOfMemory: scene.phone.isAppWarned
    case .allSettled: scene.payments.allSatisfy(\.isOver) && scene.isChannelEven
    }
  }

  /// Continues "gave up waiting for".
  public var words: String {
    switch self {
    case .runs(let role): "the \(role.rawValue) to run"
    case .ended(let role): "the \(role.rawValue) to end"
    case .connected(let role): "the \(role.rawValue) to be connected"
    case .holds(let role): "the \(role.rawValue) to hold the node"
    case .noHolder: "the node to be free"
    case .appShows(let text): "the app to show “\(text)”"
    case .settled(let number): "payment \(number) to settle"
    case .failed(let number): "payment \(number) to fail"
    case .waits(let number): "payment \(number) to wait for the wallet"
    case .senderAnswered(let number): "the sender of payment \(number) to have an answer"
    case .invoiceExpired(let number): "the invoice of payment \(number) to expire"
    case .kept(let number): "a part of payment \(number) to be kept by the wallet"
    case .shown(let number): "the user to see payment \(number)"
    case .invoicePaid(let number): "invoice \(number) to be paid"
    case .invoiceFailed(let number): "the payment of invoice \(number) to fail"
    case .frozen(let role): "the \(role.rawValue) to be frozen"
    case .suspended(let role): "the \(role.rawValue) to be suspended"
    case .inFront: "the app to be in front"
    case .sees(let title): "the user to see “\(title)”"
    case .screenShows(let text): "the app's screen to show “\(text)”"
    case .shownAsSent: "the user to see a push as it was sent"
    case .silentPushOver: "the newest silent push to be over"
    case .silentPushCompleted: "the app to complete the newest silent push"
    case .taskOver(let identifier): "the task “\(identifier)” to be over"
    case .taskRuns(let identifier): "the task “\(identifier)” to run"
    case .taskWaits(let identifier, let why): "the task “\(identifier)” to wait, as “\(why)”"
    case .audioPlays: "the app to play audio"
    case .warnedOfMemory: "the app to get a memory warning"
    case .allSettled: "everything to be settled"
    }
  }
}

extension Scene.Payment {
  var isFailed: Bool { if case .failed = state { true } else { false } }

  var isOver: Bool { state == .settled || isFailed }
}

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
