import Ground

/// Somebody else's invoice, which the person pays with the wallet; it is made before the story begins.
public struct PlannedBill: Hashable, Sendable {
  public var number: Int
  public var amountSat: UInt64
  /// Who made it does not know it any more: whoever pays it has the money back.
  public var isForgotten = false

  public var amountMsat: UInt64 { amountSat * 1000 }
}

extension Scene {
  /// What the wallet knows of such an invoice, whichever process has written it down.
  public enum Bill: Hashable, Sendable {
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

  /// Of the verdict: bills are payments as well.
  public var paidBills: Int { bills.count { $0 == .paid } }
  public var failedBills: Int { bills.count { $0 == .failed } }
  /// By their numbers.
  public var openBills: [Int] { bills.indices.filter { bills[$0] == .onItsWay }.map { $0 + 1 } }

  func bill(_ number: Int) -> Bill { bills.indices.contains(number - 1) ? bills[number - 1] : .notPaid }
}

extension Question {
  static func billSentences(_ scene: Scene, _ scenario: Scenario) -> [String] {
    guard !scenario.bills.isEmpty else { return ["there are no bills"] }
    return scenario.bills.map {
      "bill \($0.number) of \(AmountText.words(sat: $0.amountSat)): \(scene.bill($0.number).words)"
    }
  }

  static func balanceSentence(_ scene: Scene) -> String {
    guard let msat = scene.balanceMsat else { return "the wallet has no channel yet" }
    return "the wallet has \(AmountText.words(msat: msat))"
  }
}

// The language of what the person pays.
extension Phrase {
  static let bills = [
    Phrase(
      "the person pays bill BILL of AMOUNT sat",
      "Somebody else's invoice, with the wallet: the story goes on when it is in the channel, or refused. Numbers count from 1."
    ) { .make(.payBill(number: $0.bill)) },
    Phrase(
      "the person pays bill BILL of AMOUNT sat, forgotten by who made it",
      "The recipient refuses it, as one that does not know what is paid: the money comes back."
    ) { .make(.payBill(number: $0.bill)) },
    Phrase("the person pays bill BILL again", "The same invoice once more.") {
      .make(.payBill(number: $0.bill))
    },
  ]

  static let billWaits = [
    Phrase("wait until bill BILL is paid", "The wallet has it in writing, with the preimage.") {
      .wait(.billPaid(number: $0.bill))
    },
    Phrase("wait until bill BILL has failed", "The wallet has it in writing, and the money back.") {
      .wait(.billFailed(number: $0.bill))
    },
  ]

  static let billQuestions = [
    Phrase("what became of the bills?", "Of each, as the wallet has it in writing.") { _ in .ask(.bills) },
    Phrase("what does the wallet have?", "Its balance in the channel.") { _ in .ask(.balance) },
  ]
}
