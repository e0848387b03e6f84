import DaemonRuntime
import Ground
import Lightning
import LightningProvider
import PhonePolicy
import Platform

/// Each wallet's webhooks with the time in which each was registered, the calls to them, and each attempt.
enum WebhookTables {
  static func write(
    _ change: WebhookChange, of wallet: WalletNumber, at now: Instant, wallNanoseconds: Int64,
    to database: Connection
  ) throws {
    let at = SQLValue.integer(now.nanoseconds)
    let of = SQLValue.integer(wallet.value)
    switch change {
    case .set(let webhook):
      try end(webhook.name, of: of, at: at, database)
      try database.execute(
        "INSERT INTO webhooks(wallet, app_name, url, set_at_ns) VALUES (?, ?, ?, ?)",
        [of, .text(webhook.name), .text(webhook.url), at])
    case .removed(let name): try end(name, of: of, at: at, database)
    case .called(let call):
      try database.execute(
        """
        INSERT INTO webhook_calls(wallet, number, webhook, method, timeout, timestamp, at_ns, attempts, outcome, is_open)
        VALUES (?1, ?2, (SELECT id FROM webhooks WHERE wallet = ?1 AND app_name = ?3 AND ended_at_ns IS NULL), ?4, ?5, ?6,
          ?7, 0, 'asked', 1)
        """,
        [
          of, try .unsigned(call.number), .text(call.webhook.name), .text(call.notification.method.rawValue),
          call.notification.timeout.map { .integer(Int64($0)) } ?? .null,
          .text(UTCText.write(wallNanoseconds, milliseconds: true)), at,
        ])
    case .begun(let call):
      try database.execute(
        "UPDATE webhook_calls SET attempts = attempts + 1, last_at_ns = ? WHERE wallet = ? AND number = ?",
        [at, of, try .unsigned(call)])
      try database.execute(
        "INSERT INTO webhook_attempts(wallet, call, at_ns) VALUES (?, ?, ?)", [of, try .unsigned(call), at])
    case .tried(let call, let outcome): try write(outcome, of: call, of, isOpen: true, database)
    case .ended(let call, let outcome): try write(outcome, of: call, of, isOpen: false, database)
    }
  }

  private static func end(
    _ name: String, of wallet: SQLValue, at now: SQLValue, _ database: Connection
  ) throws {
    try database.execute(
      "UPDATE webhooks SET ended_at_ns = ? WHERE wallet = ? AND app_name = ? AND ended_at_ns IS NULL",
      [now, wallet, .text(name)])
  }

  private static func write(
    _ outcome: WebhookOutcome, of call: UInt64, _ wallet: SQLValue, isOpen: Bool, _ database: Connection
  ) throws {
    try database.execute(
      "UPDATE webhook_calls SET outcome = ?, status = ?, is_open = ? WHERE wallet = ? AND number = ?",
      [
        .text(outcome.word), outcome.status.map { .integer(Int64($0)) } ?? .null, .integer(isOpen ? 1 : 0),
        wallet, try .unsigned(call),
      ])
  }

  // MARK: Reading

  /// Nil for a wallet that never had one.
  static func read(_ database: Connection, of wallet: WalletNumber, at now: Instant) throws -> WebhookBook? {
    let of = SQLValue.integer(wallet.value)
    let last = try database.firstRow("SELECT max(number) FROM webhook_calls WHERE wallet = ?", [of])?
      .optionalUnsigned(0)
    guard let last else { return nil }
    let webhooks = try database.rows(
      """
      SELECT app_name, url FROM webhooks AS those WHERE wallet = ? AND ended_at_ns IS NULL
      ORDER BY (SELECT min(id) FROM webhooks WHERE wallet = those.wallet AND app_name = those.app_name)
      """, [of]
    ).map { Webhook(name: try $0.text(0), url: try $0.text(1)) }
    let calls = try database.rows(
      """
      SELECT number, app_name, url, method, timeout, attempts FROM webhook_calls
      JOIN webhooks ON webhooks.id = webhook WHERE webhook_calls.wallet = ? AND is_open = 1 ORDER BY number
      """, [of]
    ).map { row in
      WebhookCall(
        number: try row.unsigned(0), webhook: Webhook(name: try row.text(1), url: try row.text(2)),
        notification: try notification(try row.text(3), try row.optionalUnsigned(4)),
        attempts: try row.unsigned(5), nextAt: LedgerTime.read(now.nanoseconds))
    }
    return WebhookBook(
      webhooks: webhooks, calls: calls, lastCall: last, noticed: try noticed(database, of: of, at: now),
      registered: try registered(database, of: of, at: now))
  }

  /// The newest notification of each method since the wallet was here last. One from before the machine's reboot delays
  /// no call.
  private static func noticed(
    _ database: Connection, of wallet: SQLValue, at now: Instant
  ) throws -> [(WebhookNotification.Method, Instant)] {
    try database.rows(
      """
      SELECT method, max(at_ns) FROM webhook_calls WHERE wallet = ?1 AND method <> ?2
        AND at_ns > (SELECT coalesce(max(judged_at_ns), -1) FROM connections
          WHERE wallet = ?1 AND verdict IN ('accepted', 'unfenced'))
      GROUP BY method ORDER BY method
      """,
      [
        wallet, .text(WebhookNotification.Method.webhookRegistered.rawValue),
      ]
    ).compactMap { row in
      let method = try notification(try row.text(0), nil, isMethodAlone: true).method
      let at = try row.integer(1)
      return LedgerTime.isOfOneBoot(at, now.nanoseconds) ? (method, LedgerTime.read(at)) : nil
    }
  }

  private static func registered(
    _ database: Connection, of wallet: SQLValue, at now: Instant
  ) throws -> [(String, Instant)] {
    try database.rows(
      "SELECT app_name, set_at_ns FROM webhooks WHERE wallet = ? ORDER BY id DESC LIMIT ?",
      [wallet, .integer(Int64(WebhookBook.webhooksMax))]
    ).reversed().compactMap { row in
      let at = try row.integer(1)
      return LedgerTime.isOfOneBoot(at, now.nanoseconds) ? (try row.text(0), LedgerTime.read(at)) : nil
    }
  }

  private static func notification(
    _ method: String, _ timeout: UInt64?, isMethodAlone: Bool = false
  ) throws -> WebhookNotification {
    guard let method = WebhookNotification.Method(rawValue: method),
      let notification = WebhookNotification(
        method, timeout: isMethodAlone && method.hasTimeout ? 0 : timeout.map { UInt32(clamping: $0) })
    else { throw LedgerError.unreadable("a webhook's call has an unknown method") }
    return notification
  }

  /// The wall clock when the notification was made, as it is signed.
  static func timestamp(of call: UInt64, _ wallet: WalletNumber, _ database: Connection) throws -> String {
    try database.firstRow(
      "SELECT timestamp FROM webhook_calls WHERE wallet = ? AND number = ?",
      [.integer(wallet.value), try .unsigned(call)])?.text(0) ?? ""
  }

  // MARK: The list

  /// As many as fit into one message.
  private static let listMax = 64

  static func list(_ database: Connection, of wallet: WalletNumber) throws -> WebhookList {
    let of = SQLValue.integer(wallet.value)
    let webhooks = try database.rows(
      "SELECT app_name, url, set_at_ns FROM webhooks WHERE wallet = ? AND ended_at_ns IS NULL ORDER BY id",
      [of]
    )
    let calls = try database.rows(
      """
      SELECT number, app_name, url, method, timestamp, at_ns, attempts, outcome, status, timeout FROM webhook_calls
      JOIN webhooks ON webhooks.id = webhook WHERE webhook_calls.wallet = ? ORDER BY number DESC LIMIT \(listMax)
      """, [of]
    ).reversed()
    return WebhookList(
      webhooks: try webhooks.map { try LedgerTime.report(of: $0) },
      calls: try calls.map { try LedgerTime.report(of: $0) })
  }
}

/// The ledger's times are those of the monotonic clock, which begins again with each boot of the machine: the upper bits
/// have the number of the boot, so that later rows have later times. 0 is the first boot.
enum LedgerTime {
  /// A year's nanoseconds and more.
  private static let clockBits: Int64 = 55
  private static let clock: Int64 = 1 << clockBits - 1

  static func begin(ofBoot number: Int) throws -> TimeSpan {
    guard number < 1 << (63 - clockBits) else { throw LedgerError.tooManyBoots(number) }
    return TimeSpan(nanoseconds: Int64(number) << clockBits)
  }

  static func isOfOneBoot(_ one: Int64, _ other: Int64) -> Bool { one >> clockBits == other >> clockBits }

  /// In the boot of `now`.
  static func write(_ instant: Instant, at now: Instant) -> Int64 {
    now.nanoseconds & ~clock | instant.nanoseconds & clock
  }

  /// On the clock of its boot.
  static func read(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds & clock) }

  /// A row with its instants on the clocks of their boots.
  static func report<R: Report>(
    of row: Row, _ complete: (inout [String: JSONValue]) -> Void = { _ in }
  ) throws -> R {
    try row.decoded { members in
      for (name, value) in members where name.hasSuffix("_ns") {
        members[name] = value.int.map { .number("\(read($0).nanoseconds)") }
      }
      complete(&members)
    }
  }
}
