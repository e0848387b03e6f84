import Ground
import Lightning

// Outgoing payments: offered when the channel is in use, each invoice once. From the step that offers its HTLC on, a
// payment belongs to the channel, and any later owner of the node completes it.
extension NodeMachine {
  /// How long a user waits for the answer.
  static let payTimeout = TimeSpan.seconds(5)
  static let payGivenUp =
    "the node was stopped before the payment was made; nothing was sent; open the app and try again"
  static let payTimedOut =
    "the wallet did not reach its peer, or could not write its database, within 5 s; nothing was sent; try again"

  static let payDuringRestore =
    "the wallet has just been restored from its peer's backup; nothing was sent; try again"

  static let payDuringSplice =
    "a withdrawal on chain is pending, and payments wait for its end; nothing was sent; try again"

  mutating func payRequested(
    _ payment: OutgoingPayment, past: PastPayment?, at now: Instant
  ) -> [NodeDirective] {
    let hash = payment.paymentHash
    switch state {
    case .stopped, .draining: return [.paymentRefused(paymentHash: hash, .notHeld)]
    default: break
    }
    if let failedSentence { return [.paymentRefused(paymentHash: hash, .because(failedSentence))] }
    if wantedPayments.contains(hash) || node.payments.pending.contains(where: { $0.paymentHash == hash }) {
      return [
        .paymentRefused(
          paymentHash: hash, .because("this invoice is already being paid; wait for the result"))
      ]
    }
    if let past { return [.paymentRefused(paymentHash: hash, .because(Self.sentence(past)))] }
    wantedPayments.add(hash, payment, until: now + Self.payTimeout)
    return advance(mustStore: false, at: now) + endPause()
  }

  /// Offers the requested payments in the channel. A payment that the channel does not take is refused and
  /// forgotten.
  mutating func offerWanted(_ channel: inout Channel) -> (offered: [OutgoingPayment], [NodeDirective]) {
    guard stage == .established, acceptsPayments, channel.isReestablished, channel.mayUpdate else {
      return ([], [])
    }
    var offered: [OutgoingPayment] = []
    var refusals: [NodeDirective] = []
    for wanted in wantedPayments.all {
      var payment = wanted.request
      // The payment is durable already; only its answer was lost.
      guard !node.payments.pending.contains(where: { $0.paymentHash == payment.paymentHash }) else {
        wantedPayments.remove(payment.paymentHash)
        refusals.append(.paymentOffered(paymentHash: payment.paymentHash))
        continue
      }
      do throws(ChannelError) {
        payment.htlc = try channel.offer(
          amountMsat: payment.amountMsat, paymentHash: payment.paymentHash, cltvExpiry: HTLC.chainlessExpiry,
          paymentData: PaymentData(secret: payment.paymentSecret, totalMsat: payment.amountMsat))
        offered.append(payment)
      } catch {
        wantedPayments.remove(payment.paymentHash)
        refusals.append(
          .paymentRefused(paymentHash: payment.paymentHash, .because(Self.sentence(error, payment))))
      }
    }
    return (offered, refusals)
  }

  private static func sentence(_ past: PastPayment) -> String {
    switch past {
    case .paid: "this invoice is paid already; ask for a new one"
    case .lost:
      "an earlier payment of this invoice may have succeeded: its outcome was lost with the wallet's database; ask the recipient, and if the invoice is not paid, ask for a new one"
    }
  }

  private static func sentence(_ error: ChannelError, _ payment: OutgoingPayment) -> String {
    switch error {
    case .amountAboveBalance(let available):
      "the wallet can send \(AmountText.words(msat: available)) now, less than the payment's \(AmountText.words(msat: payment.amountMsat)); receive some first"
    case .tooManyHTLCs:
      "\(ChannelRecord.maximumHTLCs) payments are pending, the most that the channel takes; try again when one is over"
    default: "the channel refused the payment: \(error)"
    }
  }

  /// The payments that the peer's commitment has ended.
  func ended(by facts: [ChannelFact]) -> [PaymentChange.Ended] {
    facts.compactMap { fact in
      switch fact {
      case .fulfilled(let htlc, let preimage): ended(htlc, .paid(preimage: preimage))
      case .failed(let htlc, let code): ended(htlc, .failed(code: code))
      case .reestablished, .committed, .settled, .revoked, .spliceGivenUp: nil
      }
    }
  }

  private func ended(_ htlc: HTLC, _ end: PaymentEnd) -> PaymentChange.Ended? {
    let payment = node.payments.pending.first { $0.paymentHash == htlc.paymentHash && $0.htlc == htlc.id }
    return payment.map { PaymentChange.Ended(payment: $0, end: end) }
  }

  /// The answers to a durable change of payments.
  mutating func answerPayments(_ change: PaymentChange?) -> [NodeDirective] {
    guard let change else { return [] }
    for payment in change.offered { wantedPayments.remove(payment.paymentHash) }
    return change.offered.map { .paymentOffered(paymentHash: $0.paymentHash) }
      + change.ended.map { .paymentEnded($0) }
  }

  // MARK: Giving up, of payments that the step under way does not make durable

  mutating func refuseLatePayments(at now: Instant) -> [NodeDirective] {
    let why = isSplicing ? Self.payDuringSplice : Self.payTimedOut
    return wantedPayments.take(besides: step?.offered ?? [], lateAt: now).map {
      .paymentRefused(paymentHash: $0, .because(why))
    }
  }

  mutating func refusePayments(_ sentence: String) -> [NodeDirective] {
    wantedPayments.take(besides: step?.offered ?? []).map {
      .paymentRefused(paymentHash: $0, .because(sentence))
    }
  }
}

/// Why an invoice is not paid again.
public enum PastPayment: String, Hashable, Codable, Sendable {
  case paid = "paid"
  /// Its end was lost with a database: it may be paid.
  case lost = "lost"
}

/// Payments that are over and must not be made again, for a container that is a value; a real one has them in
/// tables. The node keeps none of them.
public struct PastPayments: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var paymentHash: Bytes32
    var end: PastPayment
  }

  /// In the order of their ends.
  private var entries: [Entry] = []

  public init() {}

  public subscript(hash: Bytes32) -> PastPayment? { entries.first { $0.paymentHash == hash }?.end }

  /// Applies one step of the node.
  public mutating func apply(_ change: PaymentChange) { note(change.ended) }

  /// Applies a channel from a backup, also to the pending payments.
  public mutating func follow(_ channel: Channel, _ payments: inout OutgoingPayments) {
    let restored = payments.restored(by: channel) { self[$0] != nil }
    entries += restored.lost.map { Entry(paymentHash: $0, end: .lost) }
    note(
      restored.known.compactMap { known in
        known.end.map { PaymentChange.Ended(payment: known.payment, end: $0) }
      })
    payments.pending = restored.onTheirWay
  }

  private mutating func note(_ ended: [PaymentChange.Ended]) {
    for one in ended {
      if case .paid = one.end { entries.append(Entry(paymentHash: one.payment.paymentHash, end: .paid)) }
    }
  }
}

extension NodeMachine.Step {
  var offered: [Bytes32] { change.payments?.offered.map(\.paymentHash) ?? [] }
}
