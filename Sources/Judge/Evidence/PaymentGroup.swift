/// The payments of one hash: one sender's payment in one or several parts, and failed attempts.
struct PaymentGroup {
  private(set) var paid: [PaymentEntry] = []
  /// All parts that have not failed.
  private(set) var whole: [PaymentEntry] = []
  private(set) var wholeMsat: Int64 = 0
  private(set) var firstHeld: PaymentEntry?
  private(set) var requestedNs: [Int64] = []
  private(set) var failedNs: [Int64] = []
  private var spans: [(from: Int64, to: Int64)] = []
  private var open: [PaymentEntry] = []
  /// The first payment that was requested while others of the hash were pending with which it forms no whole.
  private(set) var secondAtOnce: PaymentEntry?

  static func all(_ payments: Rows<PaymentEntry>) -> [[UInt8]: PaymentGroup] {
    var groups: [[UInt8]: PaymentGroup] = [:]
    for payment in payments { groups[payment.paymentHash, default: PaymentGroup()].add(payment) }
    return groups
  }

  private mutating func add(_ payment: PaymentEntry) {
    requestedNs.append(payment.requestedNs)
    spans.append((payment.requestedNs, payment.settledNs ?? .max))
    // A restart of the machine begins its clock anew: what had ended had ended before.
    let isNewClock = open.contains { $0.requestedNs > payment.requestedNs }
    open.removeAll { open in open.settledNs.map { isNewClock || $0 <= payment.requestedNs } ?? false }
    open.append(payment)
    if open.count > 1, !open.areWithinOne { secondAtOnce = secondAtOnce ?? payment }
    if payment.isFailed, let settledNs = payment.settledNs { failedNs.append(settledNs) }
    if payment.isPaid { paid.append(payment) }
    if payment.state == "held" { firstHeld = firstHeld ?? payment }
    guard !payment.isFailed else { return }
    whole.append(payment)
    wholeMsat = wholeMsat &+ payment.amountMsat
  }

  /// No payment of the hash is pending after this time, before the next request.
  func isOver(at instantNs: Int64) -> Bool { !spans.contains { $0.from <= instantNs && instantNs < $0.to } }
}
