import LightningWire

/// Why a payment fails, as the sender is told.
public enum PaymentFailure: Hashable, Codable, Sendable {
  /// The wallet did not come in time.
  case recipientAway
  case noBalance
  case amountIsZero
  /// A payment of the same hash is on its way.
  case alreadyPending
  case alreadyPaid
  /// More are held already than anybody waits for.
  case tooManyPending
  case refusedByRecipient(code: UInt16)
  /// It is for another node than the wallet's, and nothing leads from here to anybody else.
  case anotherPayee

  /// The failure code of BOLT 4 that says it best.
  public var code: UInt16 {
    switch self {
    case .recipientAway, .noBalance, .tooManyPending: FailureCode.temporaryChannelFailure
    case .amountIsZero: FailureCode.amountBelowMinimum
    case .alreadyPending, .alreadyPaid: FailureCode.incorrectOrUnknownPaymentDetails
    case .refusedByRecipient(let code): code
    case .anotherPayee: FailureCode.unknownNextPeer
    }
  }

  public var word: String {
    switch self {
    case .recipientAway: "recipient-away"
    case .noBalance: "no-balance"
    case .amountIsZero: "amount-is-zero"
    case .alreadyPending: "already-pending"
    case .alreadyPaid: "already-paid"
    case .tooManyPending: "too-many-pending"
    case .refusedByRecipient: "refused-by-recipient"
    case .anotherPayee: "another-payee"
    }
  }
}
