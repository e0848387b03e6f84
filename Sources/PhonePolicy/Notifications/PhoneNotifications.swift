import Ground

// The notification centre: what may be shown, and what follows from a touch.
extension Phone {
  /// Every notification that is shown passes through here.
  func present(_ wanted: PhoneNotification) -> [PhoneDirective] {
    if let why = device.hidesAlerts {
      guard let push = wanted.push else { return withdrawal(by: wanted) }
      // The badge has a switch of its own.
      let badge = why == .notAllowed ? nil : wanted.text.badge
      return (badge.map { [.setBadge($0)] } ?? []) + [.recordFate(push: push, .notShown(why))]
    }
    var notification = wanted
    if !configuration.hasCriticalAlerts, notification.text.level == .critical {
      // The original alert is still shown, at the normal level: every push ends in a notification.
      notification.text.level = .active
    }
    notification.isDisplayed =
      device.showsAlertsOnScreen && (!device.hasFocus || notification.text.level.breaksThroughFocus)
    return [.show(notification)]
  }

  /// A local notification. If it is refused, nothing is shown: no push waits for it.
  func post(_ text: NotificationText, key: String?, withdraws: String?) -> [PhoneDirective] {
    let wanted = PhoneNotification(push: nil, source: .local, text, key: key, withdraws: withdraws)
    if let why = refusal(of: text) { return [.refuseNotification(push: nil, why)] + withdrawal(by: wanted) }
    return present(wanted)
  }

  /// A process may withdraw what it may not replace.
  private func withdrawal(by hidden: PhoneNotification) -> [PhoneDirective] {
    hidden.withdraws.map { [.withdraw(key: $0)] } ?? []
  }

  func refusal(of text: NotificationText) -> Refusal? {
    text.level == .critical && !configuration.hasCriticalAlerts ? .criticalWithoutEntitlement : nil
  }

  // MARK: Touches

  /// Replaces the earlier categories. An app registers the same ones at each start.
  mutating func register(_ registered: [NotificationCategory]) -> [PhoneDirective] {
    guard registered != categories else { return [] }
    categories = registered
    return [.saveCategories(registered)]
  }

  /// Why any user input is refused. A phone that powers off still accepts it.
  public var refusalOfUserInput: Refusal? { rebooting == nil ? nil : .rebooting }

  /// Nil if the touch is allowed.
  public func refusal(of touch: NotificationTouch, category: String?) -> Refusal? {
    if let refusal = refusalOfUserInput { return refusal }
    if isGoingDown { return .goingDown }
    if case .action(let id) = touch, action(id, of: category) == nil { return .noSuchAction(id) }
    if case .terminating = app { return .appIsEnding }
    return nil
  }

  mutating func touched(
    _ id: UInt64, category: String?, _ touch: NotificationTouch, _ userInfo: String?, at now: Instant
  ) -> [PhoneDirective] {
    guard refusal(of: touch, category: category) == nil else { return [] }
    let message = PhoneMessage.notificationResponse(id: id, action: touch.word, userInfo: userInfo)
    let reason = LaunchReason.notification(id, action: touch == .tap ? nil : touch.word)
    let closed = [PhoneDirective.closeNotification(id: id, touch)]
    if opensApp(touch, category: category) { return closed + openFor(message, reason) }
    switch touch {
    case .tap, .action: return closed + respondInBackground(id, message, reason, at: now)
    case .dismiss:
      guard categories.first(where: { $0.id == category })?.tellsDismissal == true else { return closed }
      return closed + respondInBackground(id, message, reason, at: now)
    }
  }

  /// Whether the touch brings the app to the foreground.
  public func opensApp(_ touch: NotificationTouch, category: String?) -> Bool {
    guard refusal(of: touch, category: category) == nil else { return false }
    switch touch {
    case .tap: return true
    case .action(let name): return action(name, of: category)?.opensApp == true
    case .dismiss: return false
    }
  }

  private func action(_ id: String, of category: String?) -> NotificationCategory.Action? {
    categories.first { $0.id == category }?.actions.first { $0.id == id }
  }

  /// As if the user had opened the app by its icon.
  mutating func openFor(_ message: PhoneMessage, _ reason: LaunchReason) -> [PhoneDirective] {
    silent.noteOpened()
    let unlocked = unlockForUser()
    let opened = open().map { $0 == .launch(.app, .user) ? .launch(.app, reason) : $0 }
    if case .launching = app {
      process.keep(message)
      return unlocked + opened
    }
    return unlocked + opened + [.tell(.app, message)]
  }

  private mutating func respondInBackground(
    _ id: UInt64, _ message: PhoneMessage, _ reason: LaunchReason, at now: Instant
  ) -> [PhoneDirective] {
    if app == .foreground { return [.tell(.app, message)] }
    let assertion = Assertion.notificationResponse(id)
    guard let woken = wake(for: message, reason, holding: assertion, at: now) else { return [] }
    responses.begin(id, until: now + configuration.silentPushes.completionTime)
    return woken
  }

  mutating func reachResponseDeadlines(at now: Instant) -> [PhoneDirective] {
    responses.endLate(&assertions, at: now)
    return []
  }
}
