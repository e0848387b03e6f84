import Ground
import Guardrails
import PhonePolicy
import Wallet

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
    if phone.opensApp(touch, category: category) { noteOpening() }
    hear(.notificationTouched(id: id, category: category, touch))
  }

  /// The payment, if any, is asked for while it is off.
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

  mutating func hear(_ event: PhoneEvent) {
    tellPhone(event)
    settle()
  }

  private mutating func settle() {
    letPhoneHear()
    checkDrivers()
  }

  /// Without its seed the process ends before it does anything.
  mutating func endLockedOut(_ role: Role, _ refusal: KeychainRefusal) {
    tellPhone(.endAnnounced(role))
    say(.seedWithheld(role, refusal))
    end(role, .exited(code: 78), WalletTexts.seedWithheld("\(refusal)"))
  }
}

extension NotificationCategory {
  /// What the wallet registers.
  static let incomingPayment = NotificationCategory(
    id: NotificationContent.paymentCategory,
    actions: [Action(id: "OPEN_NOW", title: "Open Now", opensApp: true)],
    tellsDismissal: true)
}
