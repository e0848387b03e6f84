import Ground

// A push with a badge or a sound and no alert. The extension is not started for it, whatever `mutable-content` says
// (Apple, "Modifying content in newly delivered notifications").
extension Phone {
  /// As with an alert, an app in the foreground decides what is shown; ours shows nothing.
  func take(_ request: BadgeAndSound, of push: PhonePush) -> [PhoneDirective] {
    guard device.allowsNotifications else { return [.recordFate(push: push.id, .notShown(.notAllowed))] }
    guard app == .foreground else { return apply(request, of: push.id) }
    let forApp = PhoneDirective.tell(.app, push.message())
    switch configuration.foregroundPushes {
    case .app: return [forApp, .recordFate(push: push.id, .givenToApp)]
    case .extension: return [forApp] + apply(request, of: push.id)
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
