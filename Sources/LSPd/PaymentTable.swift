import LightningIO
import Ground
import Platform
import DaemonRuntime
import LightningProvider
import PhonePolicy

/// Incoming payments, one row each, from the sender's request to the end.
enum PaymentTable {
  static func readUnresolved(
    _ database: Connection, of wallet: WalletNumber = .own, at now: Instant
  ) throws -> [PeerPayment] {
    try database.rows(
      """
      SELECT id, payment_hash, amount_msat, hold_until_ns, requested_at_ns, state, htlc,
        payment_secret, total_msat, attempt, attempt_id, opens_channel FROM payments
      WHERE wallet = ? AND state IN ('held', 'offered') ORDER BY id
      """, [.integer(wallet.value)]
    ).map { row in
      // If the machine was rebooted, the sender has disconnected.
      let isOfThisBoot = LedgerTime.isOfOneBoot(try row.integer(4), now.nanoseconds)
      let holdUntil = LedgerTime.read(isOfThisBoot ? try row.integer(3) : now.nanoseconds)
      let request = PaymentRequest(
        id: try row.unsigned(0), paymentHash: try row.bytes32(1),
        amountMsat: try row.unsigned(2), holdUntil: holdUntil,
        paymentData: try row.paymentData(7), attempt: try row.optionalUnsigned(9),
        attemptID: try row.optionalBlob(10).flatMap { Bytes32($0) },
        opensChannel: try row.integer(11) == 1)
      let isHeld = try row.text(5) == "held"
      return PeerPayment(request: request, state: isHeld ? .held : .offered(htlc: try row.unsigned(6)))
    }
  }

  /// When the oldest of the offered payments was offered; nil before the machine's last reboot.
  static func oldestOffer(_ database: Connection, of wallet: WalletNumber, at now: Instant) throws -> Instant?
  {
    try database.firstRow(
      "SELECT min(offered_at_ns) FROM payments WHERE wallet = ? AND state IN ('held', 'offered')",
      [.integer(wallet.value)])?.optionalInteger(0).flatMap {
        LedgerTime.isOfOneBoot($0, now.nanoseconds) ? LedgerTime.read($0) : nil
      }
  }

  static func readPaid(_ database: Connection, of wallet: WalletNumber = .own) throws -> [Bytes32] {
    try database.rows(
      "SELECT payment_hash FROM payments WHERE wallet = ? AND state = 'paid' ORDER BY payment_hash",
      [.integer(wallet.value)]
    ).map { try $0.bytes32(0) }
  }

  /// As many as fit into one message.
  private static let listMax = 256

  /// The wallet's newest payments, the oldest of them first. With preimages, as the sender has them.
  static func list(_ database: Connection, of wallet: WalletNumber = .own) throws -> [PeerPaymentRow] {
    try database.rows(
      """
      SELECT id, payment_hash, amount_msat, state, requested_at_ns, held_at_ns, offered_at_ns, settled_at_ns,
        preimage, failure_code, failure, total_msat, hold_until_ns, attempt FROM payments
      WHERE wallet = ? ORDER BY id DESC LIMIT \(listMax)
      """, [.integer(wallet.value)]
    ).reversed().map { row in
      try LedgerTime.report(of: row) { members in
        members["total_msat"] = members["total_msat"]?.int.map { .number("\(UInt64(bitPattern: $0))") }
      }
    }
  }

  /// The payment of that number. Without a number: a pending one of this hash, as a payment is pending while one of
  /// its parts is; else a paid one; else the newest.
  static func find(
    _ hash: Bytes32, number: UInt64?, _ database: Connection
  ) throws -> (id: UInt64, outcome: PaymentOutcome)? {
    try database.firstRow(
      """
      SELECT id, state, preimage, failure_code, failure FROM payments
      WHERE payment_hash = ?\(number == nil ? "" : " AND id = ?")
      ORDER BY state IN ('held', 'offered') DESC, state = 'paid' DESC, id DESC
      """, [.blob(hash.bytes)] + (number.map { [.bits($0)] } ?? [])
    ).map(outcome)
  }

  /// The payment of the attempt with that id, and its hash.
  static func find(
    attempt id: Bytes32, _ database: Connection
  ) throws -> (hash: Bytes32, found: (id: UInt64, outcome: PaymentOutcome))? {
    try database.firstRow(
      "SELECT id, state, preimage, failure_code, failure, payment_hash FROM payments WHERE attempt_id = ?",
      [.blob(id.bytes)]
    ).map { (try $0.bytes32(5), try outcome($0)) }
  }

  private static func outcome(_ row: Row) throws -> (id: UInt64, outcome: PaymentOutcome) {
    let id = try row.unsigned(0)
    switch try row.text(1) {
    case "held": return (id, .held)
    case "offered": return (id, .offered)
    case "paid": return (id, .settled(preimage: try row.bytes32(2)))
    default:
      let code = UInt16(exactly: try row.integer(3)) ?? 0
      return (id, .failed(PaymentFailure(word: try row.text(4), code: code)))
    }
  }
}

extension PaymentFailure {
  init(word: String, code: UInt16) {
    let simple: [PaymentFailure] = [
      .recipientAway, .channelFailed, .noBalance, .amountIsZero, .alreadyPending, .alreadyPaid,
    ]
    let ordered = PaymentFailure.onOrder(code: code)
    self =
      simple.first { $0.word == word } ?? (word == ordered.word ? ordered : .refusedByRecipient(code: code))
  }
}
