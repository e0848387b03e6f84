import Platform

@testable import Judge

/// Rows of hostile databases, as the judge reads them.
enum JudgeRowsFuzz: FuzzTarget {
  static let name = "judge-rows"
  static let longestInput = 512

  private static let columns = [
    "id", "started_at_ns", "started_wall_ns", "pid", "legacy", "opened_at_ns", "opened_wall", "epoch",
    "incarnation", "container", "verdict", "judged_at_ns", "closed_at_ns", "closed_reason", "connection",
    "direction", "at_ns", "bytes", "acted", "why_not", "payment_hash", "amount_msat", "state", "role",
    "start_time", "boot_high", "boot_low", "claimed_boot_ns", "claimed_wall_ns", "seen_epoch", "reason",
    "what",
    "at_mono_ns", "text", "tweak", "expires_at", "cltv_expiry", "removal", "preimage", "failure_code",
    "htlc", "ended_epoch", "paid_at_ns", "txid", "is_ours", "spent_txid", "spent_index", "funding_index",
    "amount_sat", "fee_sat", "unsigned_transaction", "begun_epoch", "begun_at_ns", "ended_at_ns",
    "funding_txid", "requested_at_ns", "held_at_ns", "offered_at_ns", "settled_at_ns", "failure",
    "payment_secret",
    "total_msat", "last_at_ns", "outcome", "push_form",
  ]

  static var seeds: [[UInt8]] {
    let cells: [[SQLValue]] = [
      columns.map { _ in 1 }, columns.map { _ in "extension" }, columns.map { _ in .blob([1, 2]) },
      columns.enumerated().map { $0.offset % 3 == 0 ? .integer(.min) : $0.offset % 3 == 1 ? nil : "in" },
      columns.map { $0 == "what" ? "revision=7 received=1" : 1 },
    ]
    return cells.map { $0.flatMap(ByteSource.write) }
      + [
        "revision=7 received=1", "invoice=1 received=2", "revision=7 offered=1 ended=2",
      ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    var source = ByteSource(bytes)
    let row = SQLiteRow(
      path: "x", table: "t", places: SQLiteRow.places(of: columns), cells: source.values(columns.count))
    read(row) { (run: RunEntry) in _ = run.row }
    read(row) { (connection: ConnectionEntry) in _ = connection.isRefused }
    read(row) { (frame: FrameEntry) in _ = frame.isIn }
    read(row) { (fence: FenceEntry) in _ = fence.row }
    read(row) { (payment: PaymentEntry) in
      promise(!(payment.isPaid && payment.isFailed), "a payment is paid and failed")
    }
    read(row) { (push: PushEntry) in _ = push.isDelivered }
    read(row) { (claim: ClaimEntry) in _ = claim.boot }
    read(row) { (write: NodeWriteEntry) in
      _ = write.row
      summarise(write.what)
    }
    // Also from the bytes alone: a row whose other columns all fit is rare.
    summarise(text(bytes))
    read(row) { (invoice: InvoiceEntry) in _ = invoice.row }
    read(row) { (received: ReceivedEntry) in _ = received.row }
    read(row) { (sent: SentEntry) in
      promise(!(sent.isPaid && sent.isFailed), "a payment is paid and failed")
    }
    read(row) { (invoice: ExternalInvoiceEntry) in _ = invoice.row }
    read(row) { (splice: SpliceEntry) in
      promiseOneLine(splice.name)
      _ = splice.takenMsat
      _ = SplicePlan.output(of: splice)
    }
    read(row) { (htlc: HTLCEntry) in _ = htlc.data }
    read(row) { (channel: ChannelEntry) in _ = channel.id }
  }

  private static func summarise(_ what: String) {
    if let summary = WriteSummary(what) { promise(summary.received >= 0, "a received count is negative") }
  }

  private static func read<Entry: Decodable>(_ row: SQLiteRow, _ use: (Entry) -> Void) {
    do throws(JudgeError) { use(try row.decoded()) } catch { promiseOneLine(error.description) }
  }
}
