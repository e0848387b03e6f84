import Ground
import JSON

/// A line of the peer's access log: one request over HTTP, and its answer.
struct AccessEntry {
  /// A hint and its reason, in the words of the answer.
  struct Hint: Hashable {
    let advice: String
    let reason: String
    let delayMs: Int64?

    init(_ advice: String, _ reason: String, after delayMs: Int64? = nil) {
      self.advice = advice
      self.reason = reason
      self.delayMs = delayMs
    }

    var words: String { "\(advice) (\(reason)\(delayMs.map { ", \($0) ms" } ?? ""))" }
  }

  private static let advices: Set = ["retry_now", "retry_later", "do_not_retry"]
  private static let reasons: Set = [
    "disconnected", "insufficient_liquidity", "recipient_channel_disabled", "unknown",
  ]

  let atNs: Int64
  let status: Int64
  /// Whom and what the sender has asked about; nil for another request.
  let question: (recipient: [UInt8], amountMsat: UInt64)?
  /// Nil if there is none, or a word of it is unknown.
  let hint: Hint?
  let error: String?
  let evidence: String

  init?(_ row: JSONValue, evidence: String) {
    guard let atNs = row["at_ns"]?.integer, let status = row["status"]?.integer,
      let target = row["target"]?.text
    else { return nil }
    self.atNs = atNs
    self.status = status
    question = Self.question(in: target)
    self.evidence = evidence
    error = row["error"]?.text
    if let advice = row["hint"]?.text, let reason = row["reason"]?.text, Self.advices.contains(advice),
      Self.reasons.contains(reason)
    {
      hint = Hint(advice, reason, after: row["recommended_delay_ms"]?.integer)
    } else {
      hint = nil
    }
  }

  private static func question(in target: String) -> (recipient: [UInt8], amountMsat: UInt64)? {
    let parts = target.split(separator: "?", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "/lsp/forwarding_hint" else { return nil }
    var values: [Substring: String] = [:]
    for pair in parts[1].split(separator: "&") {
      let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, values.updateValue(String(sides[1]), forKey: sides[0]) == nil else {
        return nil
      }
    }
    guard values.count == 2, let recipient = values["recipient"].flatMap({ Hexadecimal.decode($0) }),
      let amountMsat = values["amount_msat"].flatMap({ UInt64($0) })
    else { return nil }
    return (recipient, amountMsat)
  }

  // MARK: The files

  /// The older file first.
  static func all(in directory: String) -> (rows: [AccessEntry], remarks: [String], foreign: [String]) {
    let files = ["access.jsonl.1", "access.jsonl"].map {
      RowFile.read($0, in: directory, AccessEntry.init)
    }
    return (files.flatMap(\.rows), files.flatMap(\.remarks), files.flatMap(\.foreign))
  }
}
