import Ground
import JSON

/// A line of `senders.jsonl`: what a sender has told its user about one payment.
struct SenderEntry {
  enum Told: String {
    case settled, failed, pending, held, offered
    case notSent = "not-sent"
  }

  let atNs: Int64
  let paymentHash: [UInt8]
  let payee: [UInt8]
  let told: Told
  /// The ids of its attempts: lspd's numbers come again after a restart, if a payment was refused and has no row.
  let attempts: [[UInt8]]
  /// The attempts are parts of one payment.
  let isInParts: Bool
  let evidence: String

  init?(_ row: JSONValue, _ boots: Boots, evidence: String) {
    guard let atNs = row["at_ns"]?.int, let told = row["told"]?.text.flatMap(Told.init),
      let paymentHash = row["payment_hash"]?.text.flatMap({ Hexadecimal.decode($0) }),
      let payee = row["payee"]?.text.flatMap({ Hexadecimal.decode($0) }),
      let attempts = row["attempts"]?.elements
    else { return nil }
    self.atNs = atNs &+ boots.beginNs(of: row["boot"]?.text)
    self.told = told
    self.paymentHash = paymentHash
    self.payee = payee
    self.attempts = attempts.compactMap { $0.text.flatMap { Hexadecimal.decode($0) } }
    isInParts = row["in_parts"]?.flag == true
    self.evidence = evidence
    guard self.attempts.count == attempts.count else { return nil }
  }

  static func all(
    in directory: String, _ boots: Boots
  ) -> (rows: [SenderEntry], remarks: [String], foreign: [String]) {
    RowFile.read("senders.jsonl", in: directory) { SenderEntry($0, boots, evidence: $1) }
  }
}
