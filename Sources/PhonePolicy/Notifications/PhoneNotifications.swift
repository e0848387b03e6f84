import Ground

// The notification centre: what may be shown, and what follows from a touch.
extension Phone {
  /// All that is shown comes through here.
  func present(_ wanted: PhoneNotification) -> [PhoneDirective] {
    guard device.allowsNotifications else {
      guard let push = wanted.push else { return [] }
      return [.recordFate(push: push, .notShown), .drop(push: push)]
    }
    var notification = wanted
    if !configuration.hasCriticalAlerts, notification.text.level == .critical {
      // An alert as it was sent is shown all the same, as any other: a push does not end without a notification.
      notification.text.level = .active
    }
    notification.isDisplayed = !device.hasFocus || notification.text.level.breaksThroughFocus
    return [.show(notification)]
  }

  /// What a process posts of its own accord. Nobody waits for it, so a request that is refused shows nothing.
  func post(_ text: NotificationText, key: String?) -> [PhoneDirective] {
    if let why = refusal(of: text) { return [.refuseNotification(push: nil, why)] }
    return present(PhoneNotification(push: nil, source: .local, text, key: key))
  }

  func refusal(of text: NotificationText) -> NotificationRefusal? {
    text.level == .critical && !configuration.hasCriticalAlerts ? .criticalWithoutEntitlement : nil
  }

  // MARK: Touches

  /// Those of before are gone. An app says the same at each start.
  mutating func register(_ registered: [NotificationCategory]) -> [PhoneDirective] {
    guard registered != categories else { return [] }
    categories = registered
    return [.saveCategories(registered)]
  }

  /// Why nothing comes of a thumb on the screen, whatever it is on. A phone that goes down for good does what it can.
  public var refusalOfThumb: TouchRefusal? { rebooting == nil ? nil : .rebooting }

  /// Nil if it can be done.
  public func refusal(of touch: NotificationTouch, category: String?) -> TouchRefusal? {
    if let refusal = refusalOfThumb { return refusal }
    if isGoingDown { return .goingDown }
    if case .action(let id) = touch, action(id, of: category) == nil { return .noSuchAction(id) }
    if case .terminating = app { return .appIsEnding }
    return nil
  }

  mutating func touched(
    _ id: UInt64, category: String?, _ touch: NotificationTouch, at now: Instant
  ) -> [PhoneDirective] {
    guard refusal(of: touch, category: category) == nil else { return [] }
    let word = PhoneMessage.notificationResponse(id: id, action: touch.word)
    let reason = LaunchReason.notification(id, action: touch == .tap ? nil : touch.word)
    let closed = [PhoneDirective.closeNotification(id: id, touch)]
    if opensApp(touch, category: category) { return closed + openFor(word, reason) }
    switch touch {
    case .tap, .action: return closed + respondInBackground(id, word, reason, at: now)
    case .dismiss:
      guard categories.first(where: { $0.id == category })?.tellsDismissal == true else { return closed }
      return closed + respondInBackground(id, word, reason, at: now)
    }
  }

  /// Whether the app comes to the front by it.
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

  /// The user is with the app again, as if it had been opened by its icon.
  private mutating func openFor(_ word: PhoneMessage, _ reason: LaunchReason) -> [PhoneDirective] {
    silent.noteOpened()
    let unlocked = unlockForUser()
    let opened = open().map { $0 == .launch(.app, .user) ? .launch(.app, reason) : $0 }
    if case .launching = app {
      process.keep(word)
      return unlocked + opened
    }
    return unlocked + opened + [.tell(.app, word)]
  }

  private mutating func respondInBackground(
    _ id: UInt64, _ word: PhoneMessage, _ reason: LaunchReason, at now: Instant
  ) -> [PhoneDirective] {
    if app == .foreground { return [.tell(.app, word)] }
    let assertion = Assertion.notificationResponse(id)
    guard let woken = wake(for: word, reason, holding: assertion, at: now) else { return [] }
    responses.begin(id, until: now + configuration.silentPushes.completionTime)
    return woken
  }

  mutating func responseDone(_ id: UInt64) -> [PhoneDirective] {
    responses.end(id, &assertions)
    return []
  }

  mutating func reachResponseDeadlines(at now: Instant) -> [PhoneDirective] {
    responses.endLate(&assertions, at: now)
    return []
  }
}
