import Ground
import Judge
import PhonePolicy

/// How many of the announced payments were received soon.
package struct PushSuccess: Report, Hashable {
  static let bound = TimeSpan.seconds(15)

  /// Payments with a delivered push; the parts of one payment are one.
  package var announced: Int
  /// Those that were received within the bound of one of their pushes.
  package var receivedInTime: Int
  var boundMs = PushSuccess.bound.wholeMilliseconds

  package init(announced: Int, receivedInTime: Int) {
    self.announced = announced
    self.receivedInTime = receivedInTime
  }

  static func payments(of phone: Phone) throws(JudgeError) -> AnnouncedPayments? {
    try AnnouncedPayments(home: phone.home, boundNs: bound.nanoseconds)
  }

  /// Nil without a ledger of the LSP that can be read.
  package init?(of phone: Phone) {
    guard let payments = try? Self.payments(of: phone) else { return nil }
    self.init(announced: payments.count, receivedInTime: payments.receivedInTime)
  }
}
