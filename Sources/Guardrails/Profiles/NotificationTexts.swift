/// The texts in which wallets differ; all others are the same in each.
public struct NotificationTexts: Hashable, Sendable {
  /// For a push that cannot be read, or is for another wallet.
  let unreadable: NotificationContent
  /// nil for a wallet whose pushes announce nothing.
  let announced: AnnouncedTexts?

  init(unreadable: NotificationContent, announced: AnnouncedTexts? = nil) {
    self.unreadable = unreadable
    self.announced = announced
  }
}

/// One text for each kind of announcement.
struct AnnouncedTexts: Hashable, Sendable {
  let heldPayment: NotificationContent
  let payment: NotificationContent
  let paymentOpeningChannel: NotificationContent
  let paidOrder: NotificationContent
  let mutualClose: NotificationContent

  func text(of announcement: Announcement) -> NotificationContent {
    switch announcement.kind {
    case .incomingHtlc: announcement.isHeld ? heldPayment : payment
    case .cjitPaymentArrived: paymentOpeningChannel
    case .orderPaymentConfirmed: paidOrder
    case .mutualClose: mutualClose
    }
  }
}
