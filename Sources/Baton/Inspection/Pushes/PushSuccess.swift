import Database
import Ground
import Reports

/// How many of the announced payments were received soon, from the LSP's ledger: it knows when each push reached the
/// phone, and when its sender got the preimage.
package struct PushSuccess: Report, Hashable {
  static let bound = TimeSpan.seconds(15)

  /// Payments with a delivered push; the parts of one payment are one.
  var announced: Int
  /// Those that were received within the bound of one of their pushes.
  var receivedInTime: Int
  var boundMs = PushSuccess.bound.wholeMilliseconds

  package init(announced: Int, receivedInTime: Int) {
    self.announced = announced
    self.receivedInTime = receivedInTime
  }

  /// Nil without a ledger that can be read.
  package init?(ledger path: String) {
    guard
      let database = try? Connection(path: path, access: .readOnly, busyTimeoutMs: 1000),
      let row = try? database.firstRow(Self.query, [.integer(Self.bound.nanoseconds)]),
      let announced = try? row.integer(0), let received = try? row.integer(1)
    else { return nil }
    self.init(announced: Int(announced), receivedInTime: Int(received))
  }

  /// lspd may hear of the delivery only after the payment.
  private static let query = """
    SELECT count(DISTINCT payment_hash),
      count(DISTINCT CASE WHEN EXISTS (
        SELECT 1 FROM payments WHERE payments.payment_hash = pushes.payment_hash AND state = 'paid'
          AND settled_at_ns BETWEEN pushes.at_ns AND pushes.last_at_ns + ?
      ) THEN payment_hash END)
    FROM pushes WHERE outcome = 'delivered' AND payment_hash IS NOT NULL
    """
}
