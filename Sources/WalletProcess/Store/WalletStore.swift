import Ground
import Guardrails
import Lightning
import LightningIO
import Platform
import SharedContainer
import Wallet

/// The node's state in the container's tables.
public enum WalletStore {
  /// The whole state, in the reader's transaction.
  public static func readState(_ reader: NodeReader, at now: BootMoment) throws -> NodeState {
    let channel = try readChannel(reader)
    return NodeState(
      channel: channel, invoices: try InvoiceTable.readOpen(reader),
      accepted: try InvoiceTable.readAccepted(reader),
      payments: try OutgoingPaymentTable.read(reader), waiting: try WaitingPartsTable.read(reader, at: now),
      failure: try ChannelFailureTable.read(of: channel, reader))
  }

  /// Applies one step of the node. Throwing rolls back the transaction.
  public static func apply(
    _ change: NodeChange, epoch: Epoch, wallClockNanoseconds: Int64, at now: BootMoment, to writer: NodeWriter
  ) throws {
    let stamp = WriteStamp(epoch: epoch, wallClockNanoseconds: wallClockNanoseconds)
    if let restored = change.restored {
      try InvoiceTable.restore(restored, writer)
      if let channel = change.channel { try OutgoingPaymentTable.follow(channel, stamp, writer) }
    }
    if let channel = change.channel {
      try refuseToGoBack(channel, writer)
      try ChannelTables.wallet.write(
        channel.record, isRestored: change.restored != nil, at: try stamp.values, writer)
    }
    if let payments = change.payments { try OutgoingPaymentTable.apply(payments, stamp, writer) }
    if let waiting = change.waiting { try WaitingPartsTable.write(waiting, at: now, writer) }
    if let failure = change.failure { try ChannelFailureTable.write(failure, stamp, writer) }
    if let invoice = change.newInvoice { try InvoiceTable.insert(invoice, writer) }
    if let cancelled = change.cancelled { try InvoiceTable.cancel(cancelled, stamp, writer) }
    for receipt in change.received { try ReceivedPaymentTable.insert(receipt, stamp, writer) }
  }

  private static func readChannel(_ reader: NodeReader) throws -> Channel? {
    try ChannelTables.wallet.read(reader).map { try Channel(restoring: $0) }
  }

  private static func refuseToGoBack(_ channel: Channel, _ writer: NodeWriter) throws {
    let row = try writer.firstRow("SELECT revision FROM channels WHERE id = ?", [.blob(channel.id.bytes)])
    if let stored = try row?.unsigned(0), stored >= channel.revision {
      throw StateWouldGoBack(stored: stored, offered: channel.revision)
    }
  }
}

/// The database has a newer state of the channel than the one to be written.
struct StateWouldGoBack: Error, CustomStringConvertible {
  var stored: UInt64
  var offered: UInt64

  var description: String {
    "the channel is stored at revision \(stored), so revision \(offered) is not written: the node reads its state again"
  }
}

/// Under which epoch, and when, a row was written.
struct WriteStamp {
  var epoch: Epoch
  var wallClockNanoseconds: Int64

  var values: [SQLValue] { get throws { [try .unsigned(epoch), .integer(wallClockNanoseconds)] } }
}

/// The channels that the peer has failed, with its reasons. Rows stay: a failed channel remains failed.
enum ChannelFailureTable {
  static func read(of channel: Channel?, _ reader: NodeReader) throws -> ChannelFailure? {
    guard let channel else { return nil }
    let row = try reader.rows(
      "SELECT reason FROM channel_failures WHERE channel = ?", [.blob(channel.id.bytes)]
    ).first
    return try row.map { ChannelFailure(channel: channel.id, reason: try $0.text(0)) }
  }

  static func write(_ failure: ChannelFailure, _ stamp: WriteStamp, _ writer: NodeWriter) throws {
    try writer.execute(
      "INSERT OR IGNORE INTO channel_failures (channel, reason, epoch, failed_wall_ns) VALUES (?, ?, ?, ?)",
      [.blob(failure.channel.bytes), .text(failure.reason)] + stamp.values)
  }
}

/// Since when incomplete payments wait for their missing parts. A row lasts as long as the wait, under any owner.
enum WaitingPartsTable {
  static func read(_ reader: NodeReader, at now: BootMoment) throws -> [WaitingParts] {
    try reader.rows(
      "SELECT payment_hash, boot_high, boot_low, first_boot_ns FROM waiting_parts ORDER BY payment_hash"
    ).map { row in WaitingParts(paymentHash: try row.bytes32(0), waited: now.since(try moment(row))) }
  }

  /// Replaces the set of waiting payments. A start that is not comparable with now begins again.
  static func write(_ hashes: [Bytes32], at now: BootMoment, _ writer: NodeWriter) throws {
    let stored = try writer.rows("SELECT payment_hash, boot_high, boot_low, first_boot_ns FROM waiting_parts")
    for row in stored where try !hashes.contains(row.bytes32(0)) || now.since(moment(row)) == nil {
      try writer.execute(
        "DELETE FROM waiting_parts WHERE payment_hash = ?", [.blob(try row.bytes32(0).bytes)])
    }
    for hash in hashes {
      try writer.execute(
        """
        INSERT OR IGNORE INTO waiting_parts (payment_hash, boot_high, boot_low, first_boot_ns)
        VALUES (?, ?, ?, ?)
        """,
        [
          .blob(hash.bytes), .bits(now.boot.high), .bits(now.boot.low), .integer(now.clock.nanoseconds),
        ])
    }
  }

  private static func moment(_ row: Row) throws -> BootMoment {
    BootMoment(
      boot: BootID(high: try row.bits(1), low: try row.bits(2)),
      clock: Instant(nanoseconds: try row.integer(3)))
  }
}

/// A CLOCK_BOOTTIME instant; only comparable within one boot.
public struct BootMoment: Hashable, Sendable {
  public var boot: BootID
  public var clock: Instant

  public init(boot: BootID, clock: Instant) {
    self.boot = boot
    self.clock = clock
  }

  /// nil for an instant of another boot or in the future, which no correct clock has written.
  func since(_ earlier: BootMoment) -> TimeSpan? {
    guard earlier.boot == boot, earlier.clock <= clock else { return nil }
    return clock - earlier.clock
  }
}

/// All invoices ever made; an invoice is open until a payment is received for it, or the user cancels it.
enum InvoiceTable {
  static func readOpen(_ reader: NodeReader) throws -> [Invoice] {
    try reader.rows(
      """
      SELECT payment_hash, amount_msat, text, tweak, expires_at FROM invoices
      WHERE payment_hash NOT IN (SELECT payment_hash FROM received_payments)
      AND payment_hash NOT IN (SELECT payment_hash FROM cancelled_invoices) ORDER BY rowid
      """
    ).map(invoice)
  }

  /// The invoices whose payment is received and whose HTLC is still in the channel.
  static func readAccepted(_ reader: NodeReader) throws -> [Invoice] {
    try reader.rows(
      """
      SELECT i.payment_hash, i.amount_msat, i.text, i.tweak, i.expires_at
      FROM invoices i JOIN received_payments r ON r.payment_hash = i.payment_hash
      WHERE i.payment_hash IN (SELECT payment_hash FROM htlcs WHERE direction = 'received' AND removal = 'fulfilled')
      ORDER BY r.id
      """
    ).map(invoice)
  }

  private static func invoice(_ row: Row) throws -> Invoice {
    Invoice(
      paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), text: try row.text(2),
      tweak: try row.bytes32(3), expiresAt: try row.integer(4))
  }

  static func insert(_ invoice: Invoice, _ writer: NodeWriter) throws { try write("INSERT", invoice, writer) }

  /// An earlier write that failed may have stored it already.
  static func cancel(_ paymentHash: Bytes32, _ stamp: WriteStamp, _ writer: NodeWriter) throws {
    try writer.execute(
      "INSERT OR IGNORE INTO cancelled_invoices (payment_hash, epoch, cancelled_wall_ns) VALUES (?, ?, ?)",
      [.blob(paymentHash.bytes)] + stamp.values)
  }

  /// A backup may have invoices that this database has lost, and vice versa.
  static func restore(_ invoices: [Invoice], _ writer: NodeWriter) throws {
    for invoice in invoices { try write("INSERT OR IGNORE", invoice, writer) }
  }

  private static func write(_ verb: String, _ invoice: Invoice, _ writer: NodeWriter) throws {
    try writer.execute(
      "\(verb) INTO invoices (payment_hash, amount_msat, text, tweak, expires_at) VALUES (?, ?, ?, ?, ?)",
      [
        .blob(invoice.paymentHash.bytes), .unsigned(invoice.amountMsat), .text(invoice.text),
        .blob(invoice.tweak.bytes), .integer(invoice.expiresAt),
      ])
  }
}
