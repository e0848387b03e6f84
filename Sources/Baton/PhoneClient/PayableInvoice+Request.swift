import Crypto
import DaemonRuntime
import Ground

// The sender's request to lspd.
extension PayableInvoice {
  /// The whole payment, or a part of it, under an id that no other attempt has: by it lspd finds the attempt after the
  /// connection broke.
  package func payRequest(partMsat: UInt64? = nil, waits: Bool, holdSeconds: Int64? = nil) -> ControlMessage {
    var message = ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash.hex, "amount-msat": "\(partMsat ?? amountMsat)",
        "payment-secret": paymentSecret.hex, "total-msat": "\(amountMsat)", "payee": payee.hex,
        "attempt-id": (Bytes32(randomBytes(Bytes32.size)) ?? .zero).hex, "wait": waits ? "yes" : "no",
      ])
    if let holdSeconds { message["hold-seconds"] = "\(holdSeconds)" }
    return message
  }

  /// Splits into parts of about equal size, in whole satoshi where possible; nil if the amount is too small.
  package static func amounts(of totalMsat: UInt64, in count: UInt64) -> [UInt64]? {
    guard count > 0, totalMsat >= count else { return nil }
    let unit: UInt64 = totalMsat / count >= 1000 ? 1000 : 1
    let each = totalMsat / count / unit * unit
    return [UInt64](repeating: each, count: Int(count) - 1) + [totalMsat - each * (count - 1)]
  }
}
