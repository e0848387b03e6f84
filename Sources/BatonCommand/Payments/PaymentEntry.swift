import Ground
import JSON
import DaemonRuntime
import Lightning

/// One payment of the wallet, in either direction, or one that the peer keeps for it.
struct PaymentEntry: Hashable, Sendable {
  enum Direction: String, Sendable {
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
  /// How long the peer goes on waiting.
  var holdLeft: TimeSpan?

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
  }

  /// A row of the peer's, if that payment is not over. Its instants are of the machine's clock, which all processes share.
  init?(atPeer row: JSONValue, text: (String) -> String? = { _ in nil }, wallNanoseconds: Int64, now: Instant)
  {
    guard let state = row["state"]?.text, ["held", "offered"].contains(state),
      let amount = row["amount_msat"]?.uint, let hash = row["payment_hash"]?.text,
      let requested = row["requested_at_ns"]?.int
    else { return nil }
    direction = .incoming
    self.state = state
    amountMsat = amount
    paymentHash = hash
    self.text = text(hash)
    atWallNanoseconds = wallNanoseconds &- (now - Instant(nanoseconds: requested)).nanoseconds
    if state == "held", let until = row["hold_until_ns"]?.int {
      holdLeft = max(.zero, Instant(nanoseconds: until) - now)
    }
  }

  private var failure: FailureCode? {
    failureCode.flatMap { UInt16(exactly: $0) }.map { FailureCode(rawValue: $0) }
  }

  private var what: String {
    switch (direction, state) {
    case (.incoming, "held"): "held at the peer, \(holdLeft.map(HumanText.span) ?? "?") left"
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

  /// Numbers of 64 bits are strings: most readers of JSON have 53.
  var json: JSONObject {
    var object = JSONObject()
    object.set("direction", direction.rawValue)
    object.set("state", state)
    object.set("amount_msat", "\(amountMsat)")
    object.set("payment_hash", paymentHash)
    object.set("at_wall_ns", "\(atWallNanoseconds)")
    object.set("epoch", ifPresent: epoch.map { "\($0)" })
    object.set("text", ifPresent: text)
    object.set("preimage", ifPresent: preimage)
    object.set("failure_code", ifPresent: failureCode)
    object.set("code_name", ifPresent: failure?.name)
    object.set("hold_left_ms", ifPresent: holdLeft.map { "\($0.wholeMilliseconds)" })
    return object
  }
}
