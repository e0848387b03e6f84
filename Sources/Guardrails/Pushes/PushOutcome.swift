import Ground

/// The result of a push. The wallet makes the notification's text from it.
public enum PushOutcome: Hashable, Codable, Sendable {
  case received(ReceivedPayment)
  /// Within the extension's time.
  case nothingReceived(Push.Reason)
  /// The parts are stored, and a push comes for the rest: the user need not act.
  case partsWait
  /// The sender did not send all parts, and the received ones were failed back.
  case partsGivenBack
  /// The app holds the node. Whether it is connected is unknown here, so the text promises nothing.
  case appContinues
  /// The peer serves another container of this wallet: a payment arrives there.
  case usedByAnotherDevice
  /// The user must open the app, which receives.
  case announced(Announcement)

  /// The received payment that the text is about: the user sees one notification for it, by whichever process.
  public var payment: Bytes32? {
    if case .received(let payment) = self { payment.paymentHash } else { nil }
  }

  /// The payment that the text announces: once it is received, or announced again, this notification goes.
  public var announcedPayment: Bytes32? {
    if case .announced(let announcement) = self { announcement.payment } else { nil }
  }
}
