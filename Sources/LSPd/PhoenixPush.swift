import Ground
import LightningProvider

/// Like Phoenix's pushes: a visible alert that an extension may rewrite, and the reason, hash and amount in clear.
struct PhoenixPush: Encodable {
  var aps: PushAPS
  var reason: String
  var paymentHash: String?
  var amountMsat: UInt64?

  static func body(of request: PushRequest) -> String {
    let alert =
      switch request.reason {
      case .incomingPayment: PushAPS.alert("Incoming payment", "Open the app to receive")
      case .pendingSettlement:
        PushAPS.alert("Please start the wallet", "An incoming settlement is pending.")
      // Never requested: Phoenix's server has no such pushes.
      case .paidOrder, .mutualClose: PushAPS.alert("Wallet", "Open the app to check for new activity")
      }
    return PhoenixPush(alert, request).text
  }

  /// The silent push for the app, without an alert.
  static func silentBody(of request: PushRequest) -> String { PhoenixPush(.silent, request).text }

  private init(_ aps: PushAPS, _ request: PushRequest) {
    self.aps = aps
    reason = request.reason.rawValue
    paymentHash = request.paymentHash?.hex
    amountMsat = request.amountMsat
  }

  private var text: String { (try? JSONLineEncoder(names: .snakeCase).encode(self)) ?? "{}" }
}
