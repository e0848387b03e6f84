/// What journals say of the payments that the wallet makes: those of its processes, what they ordered to be written and
/// what they said to whoever asked; and the peer's, what it wrote of invoices of somebody else's.
struct SentStory {
  struct Began: Hashable {
    let paymentHash: String?
    let amountMsat: Int64?
    let secret: String?
    let htlc: Int64?
  }

  struct Ended: Hashable {
    let paymentHash: String?
    let htlc: Int64?
    /// Nil: it failed.
    let preimage: String?
    let failureCode: Int64?
  }

  struct Invoice {
    let paymentHash: String?
    let amountMsat: Int64?
    let secret: String?
    let preimage: String?
    let isCertain: Bool
    let record: JournalRecord
  }

  struct Paid {
    let paymentHash: String?
    let htlc: Int64?
    let isCertain: Bool
    let record: JournalRecord
  }

  /// Ordered to be written, whether it came to that or not.
  private(set) var began: Set<Began> = []
  private(set) var ended: Set<Ended> = []
  /// Said, which is only said of what is durable.
  private(set) var saidToBeOffered: [(paymentHash: String, record: JournalRecord)] = []
  private(set) var saidToHaveEnded: [(end: Ended, record: JournalRecord)] = []
  /// By their payment hashes.
  private(set) var invoices: [String: [Invoice]] = [:]
  private(set) var paid: [String: [Paid]] = [:]

  init(_ evidence: Evidence) {
    for journal in evidence.journals {
      for record in journal.events(of: "node") { takeNode(record, isCertain: evidence.isCertain(record)) }
    }
    for journal in evidence.journals(of: "lspd") {
      for record in journal.events(of: "peer") { takePeer(record, isCertain: evidence.isCertain(record)) }
    }
  }

  private mutating func takeNode(_ record: JournalRecord, isCertain: Bool) {
    for directive in record.directives {
      if let change = directive.payload("write")?["payments"] {
        began.formUnion(
          (change["offered"]?.items ?? []).map {
            Began(
              paymentHash: $0["paymentHash"]?.text, amountMsat: $0["amountMsat"]?.integer,
              secret: $0["paymentSecret"]?.text, htlc: $0["htlc"]?.integer)
          })
        ended.formUnion((change["ended"]?.items ?? []).map(Self.ended))
      }
      guard isCertain else { continue }
      if let hash = directive["paymentOffered"]?["paymentHash"]?.text {
        saidToBeOffered.append((hash, record))
      }
      if let end = directive.payload("paymentEnded") { saidToHaveEnded.append((Self.ended(end), record)) }
    }
  }

  private static func ended(_ value: JSONValue) -> Ended {
    Ended(
      paymentHash: value["payment"]?["paymentHash"]?.text, htlc: value["payment"]?["htlc"]?.integer,
      preimage: value["end"]?["paid"]?["preimage"]?.text,
      failureCode: value["end"]?["failed"]?["code"]?.integer)
  }

  private mutating func takePeer(_ record: JournalRecord, isCertain: Bool) {
    for change in record.directives.flatMap({ $0.payload("store")?.items ?? [] }) {
      if let made = change.payload("elsewhereMade") {
        invoices[made["paymentHash"]?.text ?? "", default: []].append(
          Invoice(
            paymentHash: made["paymentHash"]?.text, amountMsat: made["amountMsat"]?.integer,
            secret: made["paymentSecret"]?.text, preimage: made["preimage"]?.text, isCertain: isCertain,
            record: record))
      }
      if let arrived = change["elsewherePaid"] {
        paid[arrived["paymentHash"]?.text ?? "", default: []].append(
          Paid(
            paymentHash: arrived["paymentHash"]?.text, htlc: arrived["htlc"]?.integer, isCertain: isCertain,
            record: record))
      }
    }
  }
}
