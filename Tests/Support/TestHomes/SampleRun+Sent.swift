/// What one write does to a payment of the wallet's own.
extension SampleRun {
  struct Sent {
    enum Step {
      case began
      case paid([UInt8])
    }

    var hash: [UInt8]
    var msat: Int64
    var step: Step

    private var payment: String {
      "{\"paymentHash\":\"\(WireBytes.hex(hash))\",\"amountMsat\":\(msat),"
        + "\"paymentSecret\":\"\(WireBytes.hex(WireBytes.secret(of: hash)))\",\"htlc\":0}"
    }

    var end: String? {
      guard case .paid(let preimage) = step else { return nil }
      return "{\"payment\":\(payment),\"end\":{\"paid\":{\"preimage\":\"\(WireBytes.hex(preimage))\"}}}"
    }

    var summary: String { end == nil ? "offered 1" : "ended 1" }

    var change: String {
      let offered = end == nil ? payment : ""
      return ",\"payments\":{\"offered\":[\(offered)],\"ended\":[\(end ?? "")]}"
    }
  }
}
