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
    case "cancel": self = .cancellation(of: try message.bytes32("payment-hash"))
    case "send":
      let amount = try message.integerIfPresent("amount-msat", in: 1...InvoiceMaker.amountMsatMax)
      self = try .payment(
        of: try message.required("invoice"), amountMsat: amount, from: wallet, atWallSeconds: now)
    case "withdraw":
      self = try .withdrawal(
        amountSat: try message.integer("amount-sat", in: 1...TransactionOutput.mostSatoshis),
        to: try message.required("address"))
    case "restore": self = .move
    default: throw UnknownRequest(verb: message.verb)
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
      expirySeconds: seconds ?? Int64(InvoiceFields.expirySecondsStandard))
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

/// Makes and signs the wallet's invoices, with the seed.
final class InvoiceMaker {
  static let amountMsatMax: UInt64 = 21_000_000 * 100_000_000 * 1000
  static let expirySecondsMax: Int64 = 366 * 24 * 3600

  private let secrets: WalletSecrets
  private let clock: Clock
  /// The node that routes payments to the wallet; nil if no peer is configured.
  private let peer: PublicKey?
  /// Invoices for users until their requests are answered: signed before the invoice is stored, so that no stored
  /// invoice is without a payable text.
  private var signed: [String: String] = [:]

  init(secrets: WalletSecrets, clock: Clock, peer: PublicKey?) {
    self.secrets = secrets
    self.clock = clock
    self.peer = peer
  }

  var wallet: PublicKey { secrets.nodeKey.publicKey }
  var wallSeconds: Int64 { clock.wallNanoseconds / 1_000_000_000 }

  func make(
    for request: String, amountMsat: UInt64, text: String, expirySeconds: Int64
  ) throws(InvoiceError) -> Invoice {
    let now = wallSeconds
    let invoice = secrets.makeInvoice(amountMsat: amountMsat, text: text, expiresAt: now + expirySeconds)
    signed[request] = try SignedInvoice(fields(of: invoice, madeAt: now), signedBy: secrets.nodeKey).encoded
    return invoice
  }

  /// Removes it when the request is answered, whatever the answer.
  func takeSigned(for request: String) -> String? { signed.removeValue(forKey: request) }

  private func fields(of invoice: Invoice, madeAt: Int64) -> InvoiceFields {
    InvoiceFields(
      network: .regtest, amountMsat: invoice.amountMsat == Invoice.anyAmount ? nil : invoice.amountMsat,
      // A clock before 1970 is refused like one that is too late.
      timestamp: UInt64(bitPattern: madeAt), paymentHash: invoice.paymentHash,
      paymentSecret: secrets.paymentSecret(tweak: invoice.tweak), purpose: .text(invoice.text),
      expirySeconds: UInt64(clamping: invoice.expiresAt - madeAt),
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard,
      routeHints: peer.map { [[RouteHop(to: wallet, from: $0)]] } ?? [], features: .ofOurInvoices)
  }
}

extension RouteHop {
  /// From the LSP to the wallet over the unconfirmed channel: its alias is the beginning of the hash of the wallet's
  /// node id, the same in both processes and every invoice.
  fileprivate init(to wallet: PublicKey, from provider: PublicKey) {
    let alias = SHA256.hash(wallet.bytes).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    self.init(node: provider, channel: ShortChannelID(alias), expiryDelta: 144)
  }
}
