import Ground
import LightningChannel

/// What the node knows, read from the container by the owner of an epoch and thrown away with it.
public struct NodeState: Hashable, Codable, Sendable {
  /// Nil until the first connection to the peer has shown which channel it is.
  public var channel: Channel?
  /// Invoices that wait for their payment.
  public var invoices: [Invoice]
  /// Those whose payment is accepted and stands in the channel, in the order in which they were: their preimages may have to
  /// be revealed again.
  public var accepted: [Invoice]
  /// What the wallet pays itself.
  public var payments: OutgoingPayments
  /// Payments of which some parts are here, in the order of their hashes. True in the moment in which it was read.
  public var waiting: [WaitingParts]
  /// Of this channel.
  public var failure: ChannelFailure?

  public init(
    channel: Channel? = nil, invoices: [Invoice] = [], accepted: [Invoice] = [],
    payments: OutgoingPayments = OutgoingPayments(), waiting: [WaitingParts] = [],
    failure: ChannelFailure? = nil
  ) {
    self.channel = channel
    self.invoices = invoices
    self.accepted = accepted
    self.payments = payments
    self.waiting = waiting
    self.failure = failure
  }

  /// Journals from before the wallet could pay say nothing of it, nor older ones of what waits or is accepted.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      channel: try container.decodeIfPresent(Channel.self, forKey: .channel),
      invoices: try container.decode([Invoice].self, forKey: .invoices),
      accepted: try container.decodeIfPresent([Invoice].self, forKey: .accepted) ?? [],
      payments: try container.decodeIfPresent(OutgoingPayments.self, forKey: .payments) ?? OutgoingPayments(),
      waiting: try container.decodeIfPresent([WaitingParts].self, forKey: .waiting) ?? [],
      failure: try container.decodeIfPresent(ChannelFailure.self, forKey: .failure))
  }
}

/// One step of the node, durable as a whole before anything of it is sent.
public struct NodeChange: Hashable, Codable, Sendable {
  public var channel: Channel?
  public var newInvoice: Invoice?
  /// An open invoice that is not to be paid any more.
  public var cancelled: Bytes32?
  /// Payments that are accepted in this step, or that a backup tells of as accepted.
  public var received: [Receipt]
  /// Everything is replaced by a backup of the peer's.
  public var restored: [Invoice]?
  /// Payments of the wallet's own that begin or end in this step.
  public var payments: PaymentChange?
  /// The payments that wait for more parts from this step on, if they are others than before.
  public var waiting: [Bytes32]?
  /// The peer has failed the channel.
  public var failure: ChannelFailure?

  public init(
    channel: Channel? = nil, newInvoice: Invoice? = nil, cancelled: Bytes32? = nil,
    received: [Receipt] = [],
    restored: [Invoice]? = nil, payments: PaymentChange? = nil, waiting: [Bytes32]? = nil,
    failure: ChannelFailure? = nil
  ) {
    self.channel = channel
    self.newInvoice = newInvoice
    self.cancelled = cancelled
    self.received = received
    self.restored = restored
    self.payments = payments
    self.waiting = waiting
    self.failure = failure
  }
}

/// A payment that the wallet accepts: from here on its preimage may leave.
public struct Receipt: Hashable, Codable, Sendable {
  public var invoice: Invoice
  /// What came, which may be more than was asked for.
  public var amountMsat: UInt64

  public init(invoice: Invoice, amountMsat: UInt64) {
    self.invoice = invoice
    self.amountMsat = amountMsat
  }
}

/// What the peer kept for us, as far as it could be opened.
public enum BackupReading: Hashable, Codable, Sendable {
  case backup(NodeBackup)
  /// Not ours, damaged, or sealed with another key.
  case unreadable
  /// Written by a newer program.
  case fromTheFuture
}
