import CoreShape
import Guardrails
import Heartbeat
import PhonePolicy

// What somebody does with the phone itself, and what follows from it at once. Runs and explorations have moves for what
// they need of it.
extension World {
  public mutating func change(_ change: DeviceChange) {
    if change == .locked { openedAt = nil }
    hear(.deviceChanged(change))
  }

  /// From somebody who says that a payment may wait.
  public mutating func silentPush() {
    silentPush(nil, .incomingPayment)
    settle()
  }

  /// As the app does at its start.
  public mutating func registerCategories() {
    if phone.categories.isEmpty { hear(.categoriesRegistered([.incomingPayment])) }
  }

  public mutating func touch(_ id: UInt64, category: String?, _ touch: NotificationTouch) {
    if touch == .tap { noteOpening() }
    hear(.notificationTouched(id: id, category: category, touch))
  }

  /// The same phone, with all its switches as they were.
  public mutating func reboot(staysLocked: Bool) { restart(by: .reboot, staysLocked: staysLocked) }

  /// Somebody puts the copy of the database back while the phone is off; nothing, if there is none.
  public mutating func restoreCopy() {
    if hasCopy { restart(by: .restoreCopy, staysLocked: false) }
  }

  private mutating func restart(by move: Move, staysLocked: Bool) {
    var configuration = phone.configuration
    configuration.device = phone.device.afterReboot
    if !staysLocked { configuration.device.apply(.unlocked) }
    make(move)
    phone = Phone(configuration: configuration)
  }

  private mutating func hear(_ event: PhoneEvent) {
    tellPhone(event)
    settle()
  }

  private mutating func settle() {
    letPhoneHear()
    checkDrivers()
  }

  /// Its seed is kept for a phone that was unlocked since its start: without it the process ends before it does anything.
  mutating func endLockedOut(_ role: Role) {
    tellPhone(.endAnnounced(PhoneRole(role)))
    end(
      role, .exited(code: 78),
      "\(KeychainRefusal.notUnlockedSinceBoot), so the wallet cannot read its seed")
  }
}

extension NotificationCategory {
  /// What the wallet registers.
  static let incomingPayment = NotificationCategory(
    id: "INCOMING_PAYMENT", actions: [Action(id: "OPEN_NOW", title: "Open Now", opensApp: true)],
    tellsDismissal: true)
}
