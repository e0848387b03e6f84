import Ground

// A push with a badge or a sound and no alert. The extension is not started for it, whatever `mutable-content` says
// (Apple, "Modifying content in newly delivered notifications").
extension Phone {
  /// As with an alert, an app in the foreground decides what is shown; ours shows nothing.
  func take(_ request: BadgeAndSound, of push: UInt64) -> [PhoneDirective] {
    guard device.allowsNotifications else {
      return [.recordFate(push: push, .notShown(.notAllowed)), .drop(push: push)]
    }
    guard app == .foreground else { return apply(request, of: push) + [.drop(push: push)] }
    let forApp = PhoneDirective.tell(.app, .push(id: push, deadlineMilliseconds: 0))
    switch configuration.foregroundPushes {
    case .app: return [forApp, .recordFate(push: push, .givenToApp)]
    case .extension: return [forApp] + apply(request, of: push)
    }
  }

  private func apply(_ request: BadgeAndSound, of push: UInt64) -> [PhoneDirective] {
    var applied = request
    if !configuration.hasCriticalAlerts, request.level == .critical { applied.level = .active }
    if device.hasFocus, !applied.level.breaksThroughFocus { applied.sound = nil }
    let changes: [PhoneDirective] = applied.badge.map { [.setBadge($0)] } ?? []
    return changes + [.recordFate(push: push, .applied(applied))]
  }
}
