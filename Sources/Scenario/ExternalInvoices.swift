import Ground

/// Somebody else's invoice, which the user pays with the wallet; it is made before the story begins.
public struct PlannedInvoice: Hashable, Sendable {
  public var number: Int
  public var amountSat: UInt64
  /// Who made it does not know it any more: whoever pays it has the money back.
  public var isForgotten = false

  public var amountMsat: UInt64 { amountSat * 1000 }
}

extension Scene {
  /// What the wallet knows of such an invoice, whichever process has written it down.
  public enum ExternalInvoice: Hashable, Sendable {
    case notPaid
    case onItsWay
    case paid
    case failed
    /// How it ended went with a database, in the place of which an older one was put.
    case lost

    /// By the word in the wallet's table; nil is no row of it.
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
      case .onItsWay: "is on its way"
      case .paid: "paid"
      case .failed: "failed, and the money is back"
      case .lost: "may be paid: the database that knew it is lost"
      }
    }
  }

  /// Of the verdict: invoices are payments as well.
  public var paidInvoices: Int { invoices.count { $0 == .paid } }
  public var failedInvoices: Int { invoices.count { $0 == .failed } }
  /// By their numbers.
  public var openInvoices: [Int] { invoices.indices.filter { invoices[$0] == .onItsWay }.map { $0 + 1 } }

  func invoice(_ number: Int) -> ExternalInvoice { invoices.indices.contains(number - 1) ? invoices[number - 1] : .notPaid }
}

extension Question {
  static func invoiceSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scenario.invoices.isEmpty else { return ["there are no invoices"] }
    return scenario.invoices.map {
      "invoice \($0.number) of \(AmountText.words(sat: $0.amountSat)): \(scene.invoice($0.number).words)"
    }
  }

  static func balanceSentence(_ scene: Scene) -> String {
    guard let msat = scene.balanceMsat else { return "the wallet has no channel yet" }
    return "the wallet has \(AmountText.words(msat: msat))"
  }
}

// The language of what the user pays.
extension Phrase {
  static let invoices = [
    Phrase(
      "the user pays invoice INVOICE of AMOUNT sat",
      "Somebody else's invoice, with the wallet: the story goes on when it is in the channel, or refused. Numbers count from 1."
    ) { .make(.payInvoice(number: $0.invoice)) },
    Phrase(
      "the user pays invoice INVOICE of AMOUNT sat, forgotten by who made it",
      "The recipient refuses it, as one that does not know what is paid: the money comes back."
    ) { .make(.payInvoice(number: $0.invoice)) },
    Phrase("the user pays invoice INVOICE again", "The same invoice once more.") {
      .make(.payInvoice(number: $0.invoice))
    },
  ]

  static let invoiceWaits = [
    Phrase("wait until invoice INVOICE is paid", "The wallet has it in writing, with the preimage.") {
      .wait(.invoicePaid(number: $0.invoice))
    },
    Phrase("wait until invoice INVOICE has failed", "The wallet has it in writing, and the money back.") {
      .wait(.invoiceFailed(number: $0.invoice))
    },
  ]

  static let invoiceQuestions = [
    Phrase("what became of the invoices?", "Of each, as the wallet has it in writing.") { _ in .ask(.invoices) },
    Phrase("what does the wallet have?", "Its balance in the channel.") { _ in .ask(.balance) },
  ]
}
