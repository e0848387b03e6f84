import Ground

/// An external invoice, which the user pays with the wallet; it is made before the story begins.
public struct PlannedInvoice: Hashable, Sendable {
  public var number: Int
  public var amountSat: UInt64
  /// The recipient does not know its hash any more: the payment fails.
  public var isForgotten = false

  public var amountMsat: UInt64 { amountSat * 1000 }
}

extension Scene {
  /// The wallet's stored state of an external invoice.
  public enum ExternalInvoice: Hashable, Sendable {
    case notPaid
    case onItsWay
    case paid
    case failed
    /// The outcome was lost when an older database was restored.
    case lost

    /// From the state in the wallet's table; nil if there is no row.
    public init(_ word: String?) {
      switch word {
      case nil: self = .notPaid
      case "pending"?: self = .onItsWay
      case "paid"?: self = .paid
      case "failed"?: self = .failed
      case .some: self = .lost
      }
    }

    var words: String {
      switch self {
      case .notPaid: "is not paid"
      case .onItsWay: "its payment is pending"
      case .paid: "paid"
      case .failed: "failed, and the money is back"
      case .lost: "may be paid: the outcome was lost with the replaced database"
      }
    }
  }

  /// For the verdict, which counts external invoices as payments.
  public var paidInvoices: Int { invoices.count { $0 == .paid } }
  public var failedInvoices: Int { invoices.count { $0 == .failed } }
  /// Their numbers.
  public var openInvoices: [Int] { invoices.indices.filter { invoices[$0] == .onItsWay }.map { $0 + 1 } }

  func invoice(_ number: Int) -> ExternalInvoice {
    invoices.indices.contains(number - 1) ? invoices[number - 1] : .notPaid
  }
}

extension Question {
  static func invoiceSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scenario.invoices.isEmpty else { return ["the wallet pays no invoice in this story"] }
    return scenario.invoices.map {
      "invoice \($0.number) of \(AmountText.words(sat: $0.amountSat)): \(scene.invoice($0.number).words)"
    }
  }

  static func balanceSentence(_ scene: Scene) -> String {
    guard let msat = scene.balanceMsat else { return "the wallet has no channel yet" }
    return "the wallet has \(AmountText.words(msat: msat))"
  }
}

// The language of external invoices.
extension Phrase {
  static let invoices = [
    Phrase(
      "the user pays invoice INVOICE of AMOUNT sat",
      "The user pays an external invoice (from 1); the story goes on when the HTLC is in the channel, or the payment is refused."
    ) { .make(.payInvoice(number: $0.invoice)) },
    Phrase(
      "the user pays invoice INVOICE of AMOUNT sat, forgotten by its recipient",
      "The recipient does not know the hash: the payment fails."
    ) { .make(.payInvoice(number: $0.invoice)) },
    Phrase("the user pays invoice INVOICE again", "The user pays the same external invoice again.") {
      .make(.payInvoice(number: $0.invoice))
    },
  ]

  static let invoiceWaits = [
    Phrase("wait until invoice INVOICE is paid", "The payment's row in the wallet has the preimage.") {
      .wait(.invoicePaid(number: $0.invoice))
    },
    Phrase("wait until invoice INVOICE has failed", "The payment's row says failed, and the money is back.") {
      .wait(.invoiceFailed(number: $0.invoice))
    },
  ]

  static let invoiceQuestions = [
    Phrase("what became of the invoices?", "The state of each outgoing payment in the wallet.") { _ in
      .ask(.invoices)
    }, Phrase("what does the wallet have?", "The wallet's balance in the channel.") { _ in .ask(.balance) },
  ]
}
