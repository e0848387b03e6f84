import LightningIO
import Ground
import Platform
import Guardrails
import Lightning
import Wallet
import SharedContainer

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
    _ change: NodeChange, epoch: Epoch, wallClockNanoseconds: Int64, at now: BootMoment,
    to writer: NodeWriter
  ) throws {
    if let restored = change.restored {
      try InvoiceTable.restore(restored, writer)
      if let channel = change.channel {
        try OutgoingPaymentTable.follow(
          channel, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
      }
    }
    if let channel = change.channel {
      try refuseToGoBack(channel, writer)
      try ChannelTables.wallet.write(
        channel.record, isRestored: change.restored != nil,
        at: [.unsigned(epoch), .integer(wallClockNanoseconds)], writer)
    }
    if let payments = change.payments {
      try OutgoingPaymentTable.apply(
        payments, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
    if let waiting = change.waiting { try WaitingPartsTable.write(waiting, at: now, writer) }
    if let failure = change.failure {
      try ChannelFailureTable.write(
        failure, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
    if let invoice = change.newInvoice { try InvoiceTable.insert(invoice, writer) }
    if let cancelled = change.cancelled {
      try InvoiceTable.cancel(
        cancelled, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
    for receipt in change.received {
      try ReceivedPaymentTable.insert(
        receipt, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
  }

  private static func readChannel(_ reader: NodeReader) throws -> Channel? {
    guard let record = try ChannelTables.wallet.read(reader) else { return nil }
    do throws(ChannelError) {
      return try Channel(restoring: record)
    } catch {
      throw WalletStoreError.damagedChannel(error)
    }
  }

  private static func refuseToGoBack(_ channel: Channel, _ writer: NodeWriter) throws {
    let row = try writer.firstRow("SELECT revision FROM channels WHERE id = ?", [.blob(channel.id.bytes)])
    if let stored = try row?.unsigned(0), stored >= channel.revision {
      throw WalletStoreError.stateWouldGoBack(stored: stored, offered: channel.revision)
    }
  }
}

/// Why a step was not written.
public enum WalletStoreError: Error, Hashable, CustomStringConvertible {
  /// The database has a newer state of the channel than the one to be written.
  case stateWouldGoBack(stored: UInt64, offered: UInt64)
  case damagedChannel(ChannelError)

  public var description: String {
    switch self {
    case .stateWouldGoBack(let stored, let offered):
      "the channel is stored at revision \(stored), so revision \(offered) is not written: the node reads its state again"
    case .damagedChannel(let error): "\(error)"
    }
  }
}
