/// What the sender's screen shows of a payment that has failed.
public struct SenderMessage: Hashable, Sendable {
  public var headline: String
  public var text: String
  /// Begins a new payment of the invoice, with a new deadline; nil where that cannot help.
  public var button: String?
  /// The sign beside the headline, and its colour, by the names that iOS has for them.
  public let symbol = "exclamationmark.triangle"
  public let colour = "orange"

  /// By the last error, and by the hint's reason where a hint has ended the payment.
  public init(_ failure: SenderFailure) {
    (headline, text) = Self.words(failure.failure)
    button = failure.mayPass ? "Retry Now" : nil
    if case .hint(let hint) = failure.end {
      // A provider that knows no reason says more than the last error only if it advises against another attempt.
      if hint.hint == .doNotRetry || hint.reason != .unknown { text = Self.advice(hint.reason) }
      if hint.hint == .doNotRetry { button = nil }
    }
  }

  private static func words(_ failure: FailureClass) -> (String, String) {
    switch failure {
    case .routeNotFound:
      ("Route Not Found", "Recipient may need to open their wallet to receive. Try again in a few seconds.")
    case .temporaryChannelFailure:
      (
        "Payment Not Delivered",
        "The recipient's wallet may be offline. Ask the recipient to open it, and try again."
      )
    case .nodeUnreachable:
      (
        "Recipient Not Reachable",
        "The recipient, or a node on the way, is offline. Ask the recipient to open the wallet, and try again."
      )
    case .feeOrExpiryConstraint:
      ("Payment Refused on the Way", "A channel refuses the fee or the expiry for now. Try again later.")
    case .invoiceExpired: ("Invoice Expired", "Ask the recipient for a new invoice.")
    case .amountTooHigh: ("Amount Too High", "Send a smaller amount.")
    case .amountBelowMinimum: ("Amount Too Low", "Send a larger amount.")
    case .unsupportedFeatures:
      ("Payment Not Supported", "A node on the way cannot process this payment. Pay with another wallet.")
    case .incorrectPaymentDetails:
      (
        "Invoice Not Known",
        "The recipient does not know this invoice, or expects another amount. Ask for a new invoice."
      )
    case .recipientRejected: ("Payment Rejected", "The recipient refused the payment. Ask for a new invoice.")
    case .permanentPolicyError:
      (
        "Payment Not Possible",
        "A node on the way refuses such payments for good. Ask the recipient for another way to pay."
      )
    }
  }

  /// For a hint that ends the payment (G-2).
  private static func advice(_ reason: ForwardingHint.Reason) -> String {
    switch reason {
    case .disconnected: "The recipient's wallet is offline. Ask the recipient to open it, and try again."
    case .insufficientLiquidity:
      "The recipient cannot receive this amount now. Send a smaller amount, or ask for another way to pay."
    case .recipientChannelDisabled:
      "The recipient's channel is switched off. Ask the recipient to open the wallet and to wait until it has connected."
    case .unknown:
      "The recipient's provider advises against another attempt. Ask the recipient for another way to pay."
    }
  }
}

extension SendFailure: CustomStringConvertible {
  /// One clause, and what helps.
  public var description: String {
    switch self {
    case .notRunning: "lspd of this phone does not run; start it with `baton up`"
    case .stopped: "lspd is stopped (SIGSTOP or a debugger); `baton thaw lspd` continues it"
    case .busy: "lspd takes no further connection now; try again later"
    case .foreign: "another user's program listens in place of your lspd; use a phone of your own"
    case .system(let reason): "the system makes no connection to lspd: \(reason)"
    case .neverArrived: "the connection broke before lspd had the request; try again"
    }
  }
}

extension HintFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable: "no server of hints can be reached"
    case .refused(let status): "the server of hints answered with status \(status)"
    case .silent: "the server of hints did not answer in time"
    case .tooLong: "the answer of the server of hints is too long"
    case .noHint(let error): error.description
    }
  }
}

extension SenderRetry.Cause: CustomStringConvertible {
  /// Why the next attempt begins when it does.
  public var description: String {
    switch self {
    case .schedule: "the failure may pass"
    case .hint(let hint): "the peer says \(hint.hint.rawValue)"
    case .noHint(let failure): failure.description
    }
  }
}
