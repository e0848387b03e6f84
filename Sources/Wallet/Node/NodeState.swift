import Ground
import Guardrails
import Lightning

/// The node's state, read from the container by the owner of an epoch and dropped at its end.
public struct NodeState: Hashable, Codable, Sendable {
  /// Nil until the first connection to the peer has shown the channel's id.
  public var channel: Channel?
  /// Open invoices.
  public var invoices: [Invoice]
  /// Invoices whose accepted payment is still in the channel, in the order of acceptance: their preimages may have
  /// to be sent again.
  public var accepted: [Invoice]
  /// Outgoing payments.
  public var payments: OutgoingPayments
  /// Incomplete payments, in the order of their hashes, as of the read.
  public var waiting: [WaitingParts]
  /// The failure of this channel.
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
}

/// One step of the node, durable as a whole before a message of it is sent.
public struct NodeChange: Hashable, Codable, Sendable {
  public var channel: Channel? {
    get { stored?.channel }
    set { stored = newValue.map(StoredChannel.init) }
  }
  private var stored: StoredChannel?
  public var newInvoice: Invoice?
  /// The open invoice that this step cancels.
  public var cancelled: Bytes32?
  /// Payments that this step accepts, or that a backup has as accepted.
  public var received: [Receipt]
  /// The invoices of the peer's backup, if this step replaces the state by it.
  public var restored: [Invoice]?
  /// Outgoing payments that begin or end in this step.
  public var payments: PaymentChange?
  /// The payments that wait for more parts from this step on; nil if unchanged.
  public var waiting: [Bytes32]?
  /// The peer has failed the channel.
  public var failure: ChannelFailure?

  public init(
    channel: Channel? = nil, newInvoice: Invoice? = nil, cancelled: Bytes32? = nil,
    received: [Receipt] = [],
    restored: [Invoice]? = nil, payments: PaymentChange? = nil, waiting: [Bytes32]? = nil,
    failure: ChannelFailure? = nil
  ) {
    stored = channel.map(StoredChannel.init)
    self.newInvoice = newInvoice
    self.cancelled = cancelled
    self.received = received
    self.restored = restored
    self.payments = payments
    self.waiting = waiting
    self.failure = failure
  }
}

extension NodeChange {
  private enum CodingKeys: String, CodingKey {
    case stored = "channel"
    case newInvoice, cancelled, received, restored, payments, waiting, failure
  }
}

/// A payment that the wallet accepts: from this step on its preimage may be sent.
public struct Receipt: Hashable, Codable, Sendable {
  public var invoice: Invoice
  /// The amount received, which may be above the invoice's.
  public var amountMsat: UInt64
}

extension ReceivedPayment {
  public init(_ receipt: Receipt) {
    self.init(
      paymentHash: receipt.invoice.paymentHash, amountMsat: receipt.amountMsat, text: receipt.invoice.text)
  }
}

/// The backup that the peer has sent, as far as it could be opened.
public enum BackupReading: Hashable, Codable, Sendable {
  case backup(NodeBackup)
  /// Damaged, or sealed with another key.
  case unreadable
  /// Written by another version of the program.
  case otherVersion(UInt8, known: UInt8)
}

/// The peer has failed the channel: by BOLT 1 it takes no further messages.
public struct ChannelFailure: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// The text of the peer's `error`.
  public var reason: String

  public init(channel: Bytes32, reason: String) {
    self.channel = channel
    self.reason = reason
  }

  /// The peer chooses the text, and a user reads it in one line.
  private static let shownText = 200

  public var sentence: String {
    "channel failed: the peer said “\(reason.prefix(Self.shownText))”; the wallet no longer uses the channel or dials the peer; "
      + "ask the peer's operator about the money in the channel: `baton restore` does not bring it back"
  }
}
