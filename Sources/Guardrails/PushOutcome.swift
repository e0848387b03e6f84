import Ground

/// What came of a push. The wallet makes the text from it: no sentence for people stands here.
public enum PushOutcome: Hashable, Codable, Sendable {
  case received(ReceivedPayment)
  /// In the time there was.
  case nothingReceived(Push.Reason)
  /// They are kept, and a push comes for the rest: there is nothing that the user should do.
  case partsWait
  /// The sender did not send all of it, and has it back.
  case partsGivenBack
  /// The app has the node. Whether it reaches its peer is not known here, so nothing is promised.
  case appContinues

  /// What it tells of: the user is to see one of these, whoever told first.
  public var payment: Bytes32? {
    if case .received(let payment) = self { payment.paymentHash } else { nil }
  }
}
