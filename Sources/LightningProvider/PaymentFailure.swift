import Lightning

/// Why a payment fails, as reported to the sender.
public enum PaymentFailure: Hashable, Codable, Sendable {
  /// The wallet did not connect in time.
  case recipientAway
  /// The wallet's channel has failed for good.
  case channelFailed
  case noBalance
  case amountIsZero
  /// A payment of the same hash is pending.
  case alreadyPending
  case alreadyPaid
  /// The limit on pending payments is reached.
  case tooManyPending
  case refusedByRecipient(code: UInt16)
  /// The payee is another node than the wallet's, and there is no route to it.
  case anotherPayee
  /// A user has ordered it.
  case onOrder(code: UInt16)

  /// The closest failure code of BOLT 4.
  public var code: UInt16 {
    switch self {
    case .recipientAway, .noBalance, .tooManyPending: FailureCode.temporaryChannelFailure
    case .channelFailed: FailureCode.channelDisabled
    case .amountIsZero: FailureCode.amountBelowMinimum
    case .alreadyPending, .alreadyPaid: FailureCode.incorrectOrUnknownPaymentDetails
    case .refusedByRecipient(let code), .onOrder(let code): code
    case .anotherPayee: FailureCode.unknownNextPeer
    }
  }

  public var word: String {
    switch self {
    case .recipientAway: "recipient-away"
    case .channelFailed: "channel-failed"
    case .noBalance: "no-balance"
    case .amountIsZero: "amount-is-zero"
    case .alreadyPending: "already-pending"
    case .alreadyPaid: "already-paid"
    case .tooManyPending: "too-many-pending"
    case .refusedByRecipient: "refused-by-recipient"
    case .anotherPayee: "another-payee"
    case .onOrder: "on-order"
    }
  }
}
