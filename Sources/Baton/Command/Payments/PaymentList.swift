import DaemonRuntime
import Ground
import Lightning
import PhonePolicy
import SharedContainer

/// The payments of a phone: those that the peer holds, then the wallet's own rows, the newest first.
struct PaymentList {
  let entries: [PaymentEntry]
  /// Why the peer's payments are unknown.
  let trouble: String?
  /// The peer runs, and does not say which payments it holds.
  let isPeerSilent: Bool

  init(of phone: Phone, most: Int) throws {
    let wallet = try Self.wallet(of: phone, rows: max(most, ContainerReport.rowsMax))
    let texts = Dictionary((wallet?.invoices ?? []).map { ($0.paymentHash, $0.text) }) { first, _ in first }
    let answer = DaemonAnswer<[PeerPaymentRow]>(to: ControlMessage("payments"), from: .lspd, of: phone)
    trouble = answer.trouble(of: .lspd)
    isPeerSilent = answer.isRunning && trouble != nil
    let wall = phone.clock.wallNanoseconds
    let now = Clock.monotonicNow
    let held = (answer.facts ?? []).compactMap {
      PaymentEntry(atPeer: $0, text: { texts[$0] }, wallNanoseconds: wall, now: now)
    }
    entries = Array((wallet.map { Self.rows(of: $0, held: held) } ?? held.reversed()).prefix(most))
  }

  /// Those of the wallet, after those that the peer holds.
  static func rows(of wallet: WalletView, held: [PaymentEntry] = []) -> [PaymentEntry] {
    let texts = Dictionary(wallet.invoices.map { ($0.paymentHash, $0.text) }) { first, _ in first }
    let received = wallet.payments.map { PaymentEntry($0, text: texts[$0.paymentHash]) }
    return inOrder(
      held: held, [received, wallet.sent.map { PaymentEntry($0) }, wallet.splices.map { PaymentEntry($0) }])
  }

  /// Held payments come first. The lists of the wallet each keep their order, which a step of the wall clock cannot
  /// change; they are merged by epoch, and by wall clock only within one epoch. A row's place depends on newer rows
  /// alone, so a short list is the head of a longer one.
  static func inOrder(held: [PaymentEntry], _ lists: [[PaymentEntry]]) -> [PaymentEntry] {
    // The peer still lists a payment for a moment after the wallet has received it.
    let known = Set(lists.joined().filter { $0.direction == .incoming }.map(\.paymentHash))
    var all = held.filter { !known.contains($0.paymentHash) }.reversed() as [PaymentEntry]
    var rest = lists.map { $0[...] }
    while let place = newest(of: rest) { all.append(rest[place].removeLast()) }
    return all
  }

  /// The list whose last row is the newest; of equal ones the last list.
  private static func newest(of lists: [ArraySlice<PaymentEntry>]) -> Int? {
    var found: (list: Int, row: PaymentEntry)?
    for (number, list) in lists.enumerated() {
      guard let row = list.last, found.map({ !isNewer($0.row, than: row) }) ?? true else { continue }
      found = (number, row)
    }
    return found?.list
  }

  private static func isNewer(_ one: PaymentEntry, than other: PaymentEntry) -> Bool {
    (one.epoch ?? 0, one.atWallNs) > (other.epoch ?? 0, other.atWallNs)
  }

  /// Nil before the wallet has run.
  private static func wallet(of phone: Phone, rows: Int) throws -> WalletView? {
    do throws(ContainerError) {
      return try ContainerReport(of: phone.container, clock: phone.clock, rows: rows).wallet
    } catch {
      switch error {
      case .missing, .notAContainer, .neverBegun: return nil
      default: throw error
      }
    }
  }
}

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
