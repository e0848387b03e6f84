import Crypto
import DaemonRuntime
import Ground
import Bitcoin
import LightningNode
import Wallet

// A person's requests and their answers as the phone hands them over. The words stand here and nowhere else.
extension Request {
  /// Nil for a message that is no request.
  init?(_ message: ControlMessage, from wallet: PublicKey, atWallSeconds now: Int64) throws {
    switch message.verb {
    case "invoice": self = try Self.invoice(message)
    case "cancel": self = .cancellation(of: try message.paymentHash())
    case "send":
      let amount = try message.integerIfPresent("amount-msat", in: 1...InvoiceMaker.amountMsatMax)
      self = try .payment(
        of: try message.required("invoice"), amountMsat: amount, from: wallet, atWallSeconds: now)
    case "withdraw":
      self = try .withdrawal(
        amountSat: try message.integer("amount-sat", in: 1...TransactionOutput.mostSatoshis),
        to: try message.required("address"))
    case "restore": self = .move
    default: return nil
    }
  }

  private static func invoice(_ message: ControlMessage) throws(ControlMessageError) -> Request {
    let amount = try message.integer("amount-msat", in: 1...InvoiceMaker.amountMsatMax)
    let seconds = try message.integerIfPresent("expiry-seconds", in: 1...InvoiceMaker.expirySecondsMax)
    let text = message["description"] ?? ""
    guard text.utf8.count <= Invoice.textLimit else {
      throw .badValue(name: "description", expected: "at most \(Invoice.textLimit) bytes")
    }
    return .invoice(
      amountMsat: amount, text: text, expirySeconds: seconds ?? InvoiceMaker.expirySecondsStandard)
  }
}

extension RequestAnswer {
  /// `signed` is the invoice as people hand it on.
  func message(to request: String, signed: String?) -> ControlMessage {
    switch self {
    case .invoice: ControlMessage("invoice-made", ["request": request, "invoice": signed ?? ""])
    case .cancelled(let hash):
      ControlMessage("cancel-done", ["request": request, "payment-hash": hash.hex])
    case .offered(let hash, let amountMsat):
      ControlMessage(
        "send-done",
        [
          "request": request, "state": "offered", "payment-hash": hash.hex, "amount-msat": "\(amountMsat)",
        ])
    case .begun(let id, let amountSat, let feeSat):
      ControlMessage(
        "withdraw-done",
        ["request": request, "txid": id.text, "amount-sat": "\(amountSat)", "fee-sat": "\(feeSat)"])
    case .connected(let epoch, let hasMoved):
      ControlMessage(
        "restore-done", ["request": request, "epoch": "\(epoch)", "moved": hasMoved ? "yes" : "no"])
    case .refused(let kind, let sentence):
      Self.refusal(kind.verb, of: request, sentence)
    }
  }

  /// Also of what cannot be read.
  static func refusal(_ verb: String, of request: String, _ sentence: String) -> ControlMessage {
    ControlMessage("\(verb)-failed", ["request": request, "message": sentence])
  }
}

extension Request.Kind {
  fileprivate var verb: String {
    switch self {
    case .invoice: "invoice"
    case .cancellation: "cancel"
    case .payment: "send"
    case .withdrawal: "withdraw"
    case .move: "restore"
    }
  }
}

extension ControlMessage {
  fileprivate func paymentHash() throws(ControlMessageError) -> Bytes32 {
    guard let hash = Bytes32(hex: try required("payment-hash")) else {
      throw .badValue(name: "payment-hash", expected: "64 hexadecimal digits")
    }
    return hash
  }
}
