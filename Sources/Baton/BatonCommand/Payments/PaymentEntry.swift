import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import LightningWire
import Reports

/// One payment of the wallet, in either direction, or one that the peer keeps for it.
struct PaymentEntry: Report, Hashable {
  enum Direction: String, Codable, CaseIterable {
    case incoming = "in"
    case outgoing = "out"
  }

  var direction: Direction
  /// In: `received`, `held` (the peer waits for the wallet), `offered` (in the channel, and not settled). Out: `pending`,
  /// `paid`, `failed`, `lost`.
  var state: String
  var amountMsat: UInt64
  var paymentHash: String
  /// When it was received, or begun, or asked for at the peer.
  var atWallNanoseconds: Int64
  /// Under which it was received or begun.
  var epoch: Int64?
  var text: String?
  var preimage: String?
  var failureCode: Int64?
  /// The same as BOLT 4 names it.
  var codeName: String?
  /// How long the peer goes on waiting.
  var holdLeftMs: Int64?

  private enum CodingKeys: String, CodingKey {
    case direction, state, amountMsat, paymentHash
    case atWallNanoseconds = "at_wall_ns"
    case epoch, text, preimage, failureCode, codeName, holdLeftMs
  }

  init(_ payment: WalletView.PaymentFacts, text: String?) {
    direction = .incoming
    state = "received"
    amountMsat = payment.amountMsat
    paymentHash = payment.paymentHash
    atWallNanoseconds = payment.wallNanoseconds
    epoch = payment.epoch
    self.text = text
  }

  init(_ payment: WalletView.SentFacts) {
    direction = .outgoing
    state = payment.state
    amountMsat = payment.amountMsat
    paymentHash = payment.paymentHash
    atWallNanoseconds = payment.begunWallNanoseconds
    epoch = payment.begunEpoch
    preimage = payment.preimage
    failureCode = payment.failureCode
    codeName = failure?.name
  }

  /// A row of the peer's, if that payment is not over. Its instants are of the machine's clock, which all processes share.
  init?(
    atPeer row: PeerPaymentRow, text: (String) -> String? = { _ in nil }, wallNanoseconds: Int64, now: Instant
  ) {
    guard row.isOpen else { return nil }
    direction = .incoming
    state = row.state
    amountMsat = row.amountMsat
    paymentHash = row.paymentHash
    self.text = text(row.paymentHash)
    atWallNanoseconds = wallNanoseconds &- (now - Instant(nanoseconds: row.requestedAtNs)).nanoseconds
    if state == "held", let until = row.holdUntilNs {
      holdLeftMs = max(.zero, Instant(nanoseconds: until) - now).wholeMilliseconds
    }
  }

  private var failure: FailureCode? {
    failureCode.flatMap { UInt16(exactly: $0) }.map { FailureCode(rawValue: $0) }
  }

  private var what: String {
    switch (direction, state) {
    case (.incoming, "held"):
      "held at the peer, \(holdLeftMs.map { HumanText.span(.milliseconds($0)) } ?? "?") left"
    case (.incoming, "offered"): "in the channel, not settled"
    case (.outgoing, "pending"): "on its way"
    case (.outgoing, "failed"): "failed\(failure.map { ": \($0.words)" } ?? "")"
    default: state
    }
  }

  var cells: [String] {
    [
      WallClockText.write(atWallNanoseconds), direction.rawValue, HumanText.amount(msat: amountMsat), what,
      String(paymentHash.prefix(16)), text ?? "",
    ]
  }
}
