import Ground
import Guardrails
import PhonePolicy
import Wallet

// User actions on the phone itself, with their immediate effects, for stories. Runs and explorations use moves.
extension World {
  public mutating func change(_ change: DeviceChange) {
    if change == .locked { opening.giveUp() }
    hear(.deviceChanged(change))
  }

  /// A silent push without a payment hash.
  public mutating func silentPush() {
    silentPush(nil, .incomingPayment)
    settle()
  }

  /// The app registers its categories at its start.
  public mutating func registerCategories() {
    if phone.categories.isEmpty { hear(.categoriesRegistered([.incomingPayment])) }
  }

  /// `push`: the one that the notification is of. A tap brings its payload to the app.
  public mutating func touch(
    _ id: UInt64, of push: UInt64? = nil, category: String?, _ touch: NotificationTouch
  ) {
    touchedPush = push
    if phone.opensApp(touch, category: category) { noteOpening() }
    hear(.notificationTouched(id: id, category: category, touch))
  }

  public mutating func press(_ button: ScreenButton) {
    pressIfThere(button)
    settle()
  }

  /// The sender pays `payment`, if any, while the phone is off.
  public mutating func reboot(staysLocked: Bool, meanwhile payment: Int? = nil) {
    say(.move(.reboot))
    reboot(unlocking: !staysLocked)
    if let payment {
      say(.move(.pay(payment)))
      pay(payment)
    }
    settle()
  }

  public mutating func launchTask(_ identifier: String) {
    hear(.task(.launchedByHand(identifier: identifier)))
  }

  public mutating func expireTask(_ identifier: String) {
    hear(.task(.expiredByHand(identifier: identifier)))
  }

  // MARK: A background task that does not involve the node

  static let task = "send something"

  /// The app begins or ends the task.
  mutating func task(isOn: Bool) {
    guard isOn != hasTask, lives.app?.value.isStopped == false else { return }
    if isOn { numbers.beginTask() }
    let task = TaskBeginning(name: Self.task, generation: numbers.task)
    let event: GuardEvent = isOn ? .taskBegan(task) : .taskEnded(task)
    guard exclusion == nil else { return withLife(.app) { _, life in life.answer(event) } }
    lives.app?.value.inbox.append(.guardrail(event))
  }

  /// Whether the app holds a task, or is about to.
  var hasTask: Bool {
    guard let app = lives.app else { return false }
    return app.part { life in
      life.pointee.inbox.last { $0.isOfTask }?.isBeginning ?? life.pointee.wallet.guardrail.hasTask
    }
  }

  mutating func hear(_ event: PhoneEvent) {
    tellPhone(event)
    settle()
  }

  private mutating func settle() {
    deliverPhoneEvents()
    checkDrivers()
  }

  /// Without its seed the process ends at once.
  mutating func endLockedOut(_ role: Role, _ refusal: KeychainRefusal) {
    tellPhone(.endAnnounced(role))
    say(.seedWithheld(role, refusal))
    end(role, .exited(code: 78), WalletTexts.seedWithheld("\(refusal)"))
  }
}

extension NotificationCategory {
  /// The category that the wallet registers.
  static let incomingPayment = NotificationCategory(
    id: NotificationContent.paymentCategory,
    actions: [Action(id: "OPEN_NOW", title: "Open Now", opensApp: true)],
    tellsDismissal: true)
}

extension WalletEvent {
  fileprivate var isBeginning: Bool { if case .guardrail(.taskBegan) = self { true } else { false } }

  fileprivate var isOfTask: Bool {
    switch self {
    case .guardrail(.taskBegan), .guardrail(.taskEnded): true
    default: false
    }
  }
}
