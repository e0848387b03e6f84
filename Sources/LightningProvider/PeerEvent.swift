import Crypto
import Ground
import Lightning

/// The events of the LSP.
public enum PeerEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// The wallet's node, named by the user.
  case walletNamed(PublicKey)
  /// With the node id from the handshake; nil without one, as in the simulation.
  case connected(connection: UInt64, node: PublicKey? = nil)
  case received(connection: UInt64, Message)
  /// Bytes that are no message.
  case undecodable(connection: UInt64, String)
  case closed(connection: UInt64, String)
  case payRequested(PaymentRequest)
  /// Another node has made an invoice.
  case externalInvoiceMade(ExternalInvoice)
  /// Replaces an earlier order; one of no failures cancels it.
  case failuresOrdered(OrderedFailures)
  /// A user's order to fail the channel.
  case channelFailureOrdered
  /// A user's order to push to the wallet that an ordered channel is ready, or that its channel is closed; this closes it.
  case announcementOrdered(PushReason)
  /// A user's order to notify the wallet's webhooks, if it is away.
  case notificationOrdered(WebhookNotification)
  /// An attempt of a call has ended.
  case webhookCalled(call: UInt64, WebhookOutcome)
}

/// A sender's payment as it reaches the LSP; each part of a multi-part payment is a request of its own.
public struct PaymentRequest: Hashable, Codable, Sendable {
  public var id: UInt64
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  /// Until then it waits for a disconnected wallet.
  public var holdUntil: Instant
  /// The recipient's node; nil if the sender does not name it.
  public var payee: PublicKey?
  /// The payment secret and total for the recipient; nil from a sender without an invoice.
  public var paymentData: PaymentData?
  /// Which of its sender's attempts to pay the invoice this is; nil if the sender does not count.
  public var attempt: UInt64?
  /// A random number of the sender's, by which it finds the attempt again.
  public var attemptID: Bytes32?
  /// It is announced as one that opens a channel; nil is no.
  public var opensChannel: Bool?

  public init(
    id: UInt64, paymentHash: Bytes32, amountMsat: UInt64, holdUntil: Instant, payee: PublicKey? = nil,
    paymentData: PaymentData? = nil, attempt: UInt64? = nil,
    attemptID: Bytes32? = nil, opensChannel: Bool = false
  ) {
    self.id = id
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.holdUntil = holdUntil
    self.payee = payee
    self.paymentData = paymentData
    self.attempt = attempt
    self.attemptID = attemptID
    self.opensChannel = opensChannel ? true : nil
  }
}

/// An invoice of another node, which the wallet pays through the LSP. The LSP also acts as that node and has the
/// preimage.
public struct ExternalInvoice: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var paymentSecret: Bytes32
  public var preimage: Bytes32
  public var isPaid: Bool

  public init(
    paymentHash: Bytes32, amountMsat: UInt64, paymentSecret: Bytes32, preimage: Bytes32, isPaid: Bool = false
  ) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.paymentSecret = paymentSecret
    self.preimage = preimage
    self.isPaid = isPaid
  }

  /// BOLT 4: the whole amount, at most twice that, with the invoice's payment secret; and only once.
  func isPaid(by htlc: HTLC) -> Bool {
    guard !isPaid, let data = htlc.paymentData, ConstantTime.areEqual(data.secret, paymentSecret) else {
      return false
    }
    let (twice, overflowed) = amountMsat.multipliedReportingOverflow(by: 2)
    return data.totalMsat == htlc.amountMsat && htlc.amountMsat >= amountMsat
      && (overflowed || htlc.amountMsat <= twice)
  }
}

/// An outgoing payment on its way through the network.
struct RoutedPayment: Hashable, Codable, Sendable {
  var htlc: UInt64
  /// When it reaches the recipient.
  var arrivesAt: Instant
}

extension RoutedPayment: Shiftable {
  mutating func shift(by span: TimeSpan) { arrivesAt.shift(by: span) }
}

/// A user's order: the LSP fails the next payments with one code, so that senders meet each of BOLT 4's failures. When
/// all are used up the LSP is as before.
public struct OrderedFailures: Hashable, Codable, Sendable {
  /// More than any test or story needs.
  public static let limit: UInt64 = 1_000_000

  public let code: UInt16
  public private(set) var left: UInt64

  public init(code: UInt16, times: UInt64) {
    self.code = code
    left = min(times, Self.limit)
  }

  /// The order without its next failure; nil when it is used up.
  var afterOne: OrderedFailures? { left > 1 ? OrderedFailures(code: code, times: left - 1) : nil }
}
