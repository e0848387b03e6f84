/// The payments of one hash: one sender's payment in one or several parts, and failed attempts.
struct PaymentGroup {
  private(set) var paid: [PaymentEntry] = []
  /// All parts that have not failed.
  private(set) var whole: [PaymentEntry] = []
  private(set) var wholeMsat: Int64 = 0
  private(set) var firstHeld: PaymentEntry?

  static func all(_ payments: Rows<PaymentEntry>) -> [[UInt8]: PaymentGroup] {
    var groups: [[UInt8]: PaymentGroup] = [:]
    for payment in payments { groups[payment.paymentHash, default: PaymentGroup()].add(payment) }
    return groups
  }

  private mutating func add(_ payment: PaymentEntry) {
    if payment.isPaid { paid.append(payment) }
    if payment.state == "held" { firstHeld = firstHeld ?? payment }
    guard !payment.isFailed else { return }
    whole.append(payment)
    wholeMsat = wholeMsat &+ payment.amountMsat
  }
}
