import Ground
import DaemonRuntime
import Lightning
import PhonePolicy

/// A payment of the wallet, in either direction, or one that the peer holds for it.
package struct PaymentEntry: Report, Hashable {
  package enum Direction: String, Codable, CaseIterable {
    case incoming = "in"
    case outgoing = "out"
  }

  package var direction: Direction
  /// In: `received`, `held` (by the peer), `offered` (HTLC pending). Out: `pending`, `paid`, `failed`, `lost`; of a
  /// withdrawal `signing`, `committed`, `signed`, `done`, `forgotten`, `lost`.
  package var state: String
  package var amountMsat: UInt64
  /// Nil of a withdrawal, which has a `txid` instead.
  package var paymentHash: String?
  package var txid: String?
  package var feeMsat: UInt64?
  /// When it was received, begun, or requested from the peer.
  package var atWallNs: Int64
  /// The epoch that received or began it.
  package var epoch: Int64?
  package var text: String?
  package var preimage: String?
  package var failureCode: Int64?
  /// BOLT 4's name of `failureCode`.
  package var codeName: String?
  /// How long the peer still holds it.
  package var holdLeftMs: Int64?
  /// Which of its sender's attempts the peer has, if the sender counts.
  package var attempt: UInt64?
}

extension PaymentEntry {
  init(_ payment: WalletView.PaymentFacts, text: String?) {
    self.init(
      direction: .incoming, state: "received", amountMsat: payment.amountMsat,
      paymentHash: payment.paymentHash,
      atWallNs: payment.receivedWallNs, epoch: payment.epoch, text: text)
  }

  init(_ payment: WalletView.SentFacts) {
    self.init(
      direction: .outgoing, state: payment.state, amountMsat: payment.amountMsat,
      paymentHash: payment.paymentHash, atWallNs: payment.begunWallNs, epoch: payment.begunEpoch,
      preimage: payment.preimage, failureCode: payment.failureCode)
    codeName = failure?.name
  }

  init(_ splice: WalletView.SpliceFacts) {
    self.init(
      direction: .outgoing, state: splice.state, amountMsat: splice.amountMsat, txid: splice.txid,
      feeMsat: splice.feeMsat, atWallNs: splice.begunWallNs, epoch: splice.begunEpoch)
  }

  /// From the peer's row of an open payment. Its instants are of the machine's monotonic clock.
  init?(
    atPeer row: PeerPaymentRow, text: (String) -> String? = { _ in nil }, wallNanoseconds: Int64, now: Instant
  ) {
    guard row.isOpen else { return nil }
    self.init(
      direction: .incoming, state: row.state, amountMsat: row.amountMsat, paymentHash: row.paymentHash,
      atWallNs: wallNanoseconds &- (now - Instant(nanoseconds: row.requestedAtNs)).nanoseconds,
      text: text(row.paymentHash), attempt: row.attempt)
    if state == "held", let until = row.holdUntilNs {
      holdLeftMs = max(.zero, Instant(nanoseconds: until) - now).wholeMilliseconds
    }
  }

  private var failure: FailureCode? {
    failureCode.flatMap { UInt16(exactly: $0) }.map { FailureCode(rawValue: $0) }
  }

  private var attemptWords: String { attempt.map { ", attempt \($0)" } ?? "" }

  private var what: String {
    if let feeMsat { return "withdrawal \(state), fee \(HumanText.amount(msat: feeMsat))" }
    return switch (direction, state) {
    case (.incoming, "held"):
      "held at the peer, \(holdLeftMs.map { HumanText.span(.milliseconds($0)) } ?? "?") left\(attemptWords)"
    case (.incoming, "offered"): "offered as an HTLC, not settled\(attemptWords)"
    case (.outgoing, "pending"): "pending"
    case (.outgoing, "failed"): "failed\(failure.map { ": \($0.words)" } ?? "")"
    default: state
    }
  }

  var cells: [String] {
    [
      WallClockText.write(atWallNs), direction.rawValue, HumanText.amount(msat: amountMsat), what,
      String((paymentHash ?? txid ?? "").prefix(16)), text ?? "",
    ]
  }
}
