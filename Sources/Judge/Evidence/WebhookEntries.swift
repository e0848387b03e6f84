struct WebhookEntry {
  let id: Int64
  let name: String
  let setNs: Int64
  let endedNs: Int64?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    name = try row.text("app_name")
    setNs = try row.integer("set_at_ns")
    endedNs = try row.optionalInteger("ended_at_ns")
  }

  func isRegistered(at instantNs: Int64) -> Bool {
    setNs <= instantNs && (endedNs.map { instantNs <= $0 } ?? true)
  }

  var evidence: String { "ledger webhooks \(id)" }
}

struct WebhookCallEntry {
  let number: Int64
  /// A row of `webhooks`.
  let webhook: Int64
  let method: String

  init(_ row: SQLiteRow) throws(JudgeError) {
    number = try row.integer("number")
    webhook = try row.integer("webhook")
    method = try row.text("method")
  }

  var isOfRegistration: Bool { method == "lsps5.webhook_registered" }
  var evidence: String { "ledger webhook_calls \(number)" }
}

struct WebhookAttemptEntry {
  let id: Int64
  let call: Int64
  let atNs: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    call = try row.integer("call")
    atNs = try row.integer("at_ns")
  }

  var evidence: String { "ledger webhook_attempts \(id)" }
}
