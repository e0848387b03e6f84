import Crypto
import DaemonRuntime
import Ground
import Lightning
import Wallet

/// A request with an unknown verb.
struct UnknownRequest: Error, CustomStringConvertible {
  var verb: String
  var description: String {
    "unknown request `\(verb)`; use invoice, cancel, send, withdraw, \(Request.webhookVerbs.joined(separator: ", ")) or restore"
  }
}

// A user's requests and their answers, which the phone passes on as bytes. Only this file has their names.
extension Request {
  init(_ message: ControlMessage, from wallet: PublicKey, atWallSeconds now: Int64) throws {
    if let webhook = try Self.webhook(message) {
      self = webhook
      return
    }
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
    default:
      throw UnknownRequest(verb: message.verb)
    }
  }

  private static func invoice(_ message: ControlMessage) throws(ControlMessageError) -> Request {
    let amount = try message.integerIfPresent("amount-msat", in: 1...InvoiceMaker.amountMsatMax)
    let seconds = try message.integerIfPresent("expiry-seconds", in: 1...InvoiceMaker.expirySecondsMax)
    let text = message["description"] ?? ""
    guard text.utf8.count <= Invoice.textLimit else {
      throw .badValue(name: "description", expected: "at most \(Invoice.textLimit) bytes")
    }
    return .invoice(
      amountMsat: amount ?? Invoice.anyAmount, text: text,
      expirySeconds: seconds ?? InvoiceMaker.expirySecondsStandard)
  }
}

extension RequestAnswer {
  /// `signed` is the BOLT 11 invoice.
  func message(signed: String?) -> ControlMessage {
    switch self {
    case .invoice: ControlMessage("invoice", ["invoice": signed ?? ""])
    case .cancelled(let hash): ControlMessage("cancelled", ["payment-hash": hash.hex])
    case .offered(let hash, let amountMsat):
      ControlMessage(
        "payment", ["state": "offered", "payment-hash": hash.hex, "amount-msat": "\(amountMsat)"])
    case .begun(let id, let amountSat, let feeSat):
      ControlMessage(
        "splice", ["txid": id.text, "amount-sat": "\(amountSat)", "fee-sat": "\(feeSat)"])
    case .connected(let epoch, let hasMoved):
      ControlMessage("restored", ["epoch": "\(epoch)", "moved": hasMoved ? "yes" : "no"])
    case .webhook(let answer): answer.message
    case .refused(_, let sentence): .error(sentence)
    case .unknown(_, let sentence): .outcomeUnknown(sentence)
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
