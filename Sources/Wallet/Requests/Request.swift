import Crypto
import Ground
import Guardrails
import Lightning

/// A user's request to the wallet. Each kind is a case here, with all its peculiarities in this file.
public enum Request: Hashable, Codable, Sendable {
  /// Make an invoice.
  case invoice(amountMsat: UInt64, text: String, expirySeconds: Int64)
  /// Cancel an invoice of this wallet.
  case cancellation(of: Bytes32)
  /// Pay an external invoice.
  case payment(OutgoingPayment)
  /// Withdraw from the channel on chain.
  case withdrawal(SpliceRequest)
  /// Move the wallet to this container, whichever container the peer knows.
  case move
  /// Ask the LSP about webhooks, under this id.
  case webhook(WebhookRequest, id: String)

  public enum Kind: Hashable, Codable, Sendable {
    case invoice, cancellation, payment, withdrawal, move, webhook
  }

  public var kind: Kind {
    switch self {
    case .invoice: .invoice
    case .cancellation: .cancellation
    case .payment: .payment
    case .withdrawal: .withdrawal
    case .move: .move
    case .webhook: .webhook
    }
  }

  /// The first step.
  func preparation(_ id: String) -> RequestDirective {
    switch self {
    case .invoice(let amountMsat, let text, let expirySeconds):
      .makeInvoice(id, amountMsat: amountMsat, text: text, expirySeconds: expirySeconds)
    case .cancellation(let hash): .node(.invoiceCancelRequested(hash))
    case .payment(let payment): .readPast(payment)
    case .withdrawal(let request): .node(.spliceRequested(request))
    case .move: .moveHere
    case .webhook(let request, let id): .node(.webhookRequested(id: id, request))
    }
  }

  /// The task that keeps the app in the background until the request is over; nil if it is over with its answer.
  func taskName(_ id: String, besides taken: [String]) -> String? {
    switch self {
    case .payment(let payment): Self.name(ofPayment: payment.paymentHash, besides: taken)
    // Before there is a transaction, only the request has an identifier.
    case .withdrawal: "splice \(id.prefix(8))"
    case .invoice, .cancellation, .move, .webhook: nil
    }
  }

  /// Eight digits are enough for users. A payee can make two invoices that agree in those, and the end of one payment
  /// must not end the other's task.
  private static func name(ofPayment hash: Bytes32, besides taken: [String]) -> String {
    let digits = hash.hex
    let names = (8...digits.count).lazy.map { "outgoing payment " + digits.prefix($0) }
    return names.first { !taken.contains($0) } ?? "outgoing payment " + digits
  }

  package static let beingCancelled = "this invoice is already being cancelled; wait for the answer"

  /// Why the request is refused because of the open ones.
  func objection(besides open: [Requests.Open]) -> String? {
    switch self {
    case .invoice:
      let waiting = open.count { $0.request.kind == .invoice }
      guard waiting >= Requests.invoicesMax else { return nil }
      return "\(Requests.invoicesMax) invoices are already waiting to be stored; try again later"
    case .cancellation(let hash):
      let isUnderWay = open.contains { $0.key == .cancellation(hash) }
      return isUnderWay ? Self.beingCancelled : nil
    case .payment(let payment):
      let isUnderWay = open.contains { $0.key == .payment(payment.paymentHash) }
      return isUnderWay ? "this invoice is already being paid; wait for the result" : nil
    case .withdrawal:
      return open.contains { $0.request.kind == .withdrawal }
        ? "another withdrawal from the channel is pending; wait until it has ended" : nil
    case .move, .webhook: return nil
    }
  }

  /// The node's key for the request, where it is known before the node is asked.
  var firstKey: RequestKey? {
    switch self {
    case .cancellation(let hash): .cancellation(hash)
    case .payment(let payment): .payment(payment.paymentHash)
    case .withdrawal: .splice(nil)
    case .webhook(_, let id): .webhook(id)
    case .invoice, .move: nil
    }
  }

  /// The answer once the request is durable.
  func answer(begunAs key: RequestKey, _ splice: PendingSplice?) -> RequestAnswer? {
    switch (self, key) {
    case (.invoice, .invoice(let hash)): .invoice(paymentHash: hash)
    case (.cancellation(let hash), _): .cancelled(paymentHash: hash)
    case (.payment(let payment), _):
      .offered(paymentHash: payment.paymentHash, amountMsat: payment.amountMsat)
    case (.withdrawal, _): splice.map { .begun($0.id, amountSat: $0.amountSat, feeSat: $0.feeSat) }
    case (.invoice, _), (.move, _), (.webhook, _): nil
    }
  }

  /// The user's next step if the node is not held.
  var adviceWithoutNode: String {
    kind == .invoice ? "open the app and ask again" : "open the app and try again"
  }

  // MARK: Texts

  /// For journals: what the wallet is asked for.
  public var words: String {
    switch self {
    case .invoice(Invoice.anyAmount, _, _): "for an invoice without an amount"
    case .invoice(let amountMsat, _, _): "for an invoice of \(AmountText.words(msat: amountMsat))"
    case .cancellation(let hash): "to cancel the invoice \(hash.hex.prefix(8))"
    case .payment(let payment): "to pay \(AmountText.words(msat: payment.amountMsat))"
    case .withdrawal(let request):
      "to send \(AmountText.words(sat: request.amountSat)) from the channel to a bitcoin address"
    case .move: "to move the wallet into this container"
    case .webhook: "to ask the peer about webhooks"
    }
  }
}

extension Request.Kind {
  /// The refused request, for the sentence of a refusal.
  public var words: String {
    switch self {
    case .invoice: "the invoice"
    case .cancellation: "the cancellation"
    case .payment: "the payment"
    case .withdrawal: "the withdrawal"
    case .move: "the move"
    case .webhook: "the webhook"
    }
  }
}

/// The node's key for a request.
public enum RequestKey: Hashable, Codable, Sendable {
  case invoice(Bytes32)
  case cancellation(Bytes32)
  case payment(Bytes32)
  /// nil before there is a transaction: one at a time.
  case splice(TransactionID?)
  /// By the request's id for the LSP.
  case webhook(String)
}

extension RequestEvent.NodeReply {
  /// nil for a directive that concerns no request.
  init?(_ directive: NodeDirective, showing status: Status?) {
    switch directive {
    case .invoiceStored(let hash): self = .begun(.invoice(hash))
    case .invoiceRefused(let hash, let why): self = .refused(.invoice(hash), why, status)
    case .invoiceCancelled(let hash): self = .begun(.cancellation(hash))
    case .cancelRefused(let hash, let why): self = .refused(.cancellation(hash), why, status)
    case .paymentOffered(let hash): self = .begun(.payment(hash))
    case .paymentRefused(let hash, let why): self = .refused(.payment(hash), why, status)
    case .paymentEnded(let ended): self = .ended(.payment(ended.payment.paymentHash))
    case .spliceBegun(let splice): self = .begun(.splice(splice.id), splice)
    case .spliceRefused(let why): self = .refused(.splice(nil), why, status)
    case .spliceEnded(let id, _): self = .ended(.splice(id))
    case .webhookAnswered(let id, let answer): self = .answered(.webhook(id), answer)
    case .webhookRefused(let id, let why): self = .refused(.webhook(id), why, status)
    case .checkRow, .checkAfterInit, .write, .dial, .send, .hangUp, .cutOff, .report, .holdEnded,
      .connectionKept:
      return nil
    }
  }
}

/// The one answer to a request.
public enum RequestAnswer: Hashable, Codable, Sendable {
  /// The invoice is stored: its payment is recognised from now on.
  case invoice(paymentHash: Bytes32)
  /// The invoice's payment is refused from now on.
  case cancelled(paymentHash: Bytes32)
  /// The HTLC is in the channel, whatever becomes of this process.
  case offered(paymentHash: Bytes32, amountMsat: UInt64)
  /// The wallet is bound to the splice.
  case begun(TransactionID, amountSat: UInt64, feeSat: UInt64)
  /// The app is connected. `hasMoved`: it replaced another container's claim for that.
  case connected(Epoch, hasMoved: Bool)
  /// The LSP's answer.
  case webhook(WebhookAnswer)
  case refused(Request.Kind, String)
  /// It is not known whether the request was carried out.
  case unknown(Request.Kind, String)
}

/// Why an invoice cannot be paid, in a sentence for the user.
public struct PaymentObjection: Error, CustomStringConvertible { public let description: String }

extension Request {
  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  /// A request to pay this invoice, with the amount that the user chose if the invoice has none. The wall clock
  /// decides only whether to begin: a begun payment ends as the channel decides.
  public static func payment(
    of text: String, amountMsat chosen: UInt64?, from wallet: PublicKey, atWallSeconds now: Int64
  ) throws -> Request {
    let invoice = try SignedInvoice(decoding: text)
    if let sentence = objection(to: invoice, from: wallet, atWallSeconds: now) {
      throw PaymentObjection(description: sentence)
    }
    return .payment(
      OutgoingPayment(
        paymentHash: invoice.paymentHash, amountMsat: try amount(of: invoice, chosen),
        paymentSecret: invoice.fields.paymentSecret))
  }

  private static func amount(of invoice: SignedInvoice, _ chosen: UInt64?) throws(PaymentObjection) -> UInt64
  {
    switch (invoice.amountMsat, chosen) {
    case (nil, nil):
      throw PaymentObjection(description: "the invoice has no amount; give one")
    case (let asked?, _?):
      throw PaymentObjection(
        description:
          "the invoice already asks for \(AmountText.words(msat: asked)); leave the amount out")
    case (let asked?, nil): return asked
    case (nil, let chosen?): return chosen
    }
  }

  private static func objection(
    to invoice: SignedInvoice, from wallet: PublicKey, atWallSeconds now: Int64
  ) -> String? {
    let fields = invoice.fields
    if fields.network != network {
      return
        "the invoice is for \(fields.network.rawValue), this wallet is on \(network.rawValue); pay it with another wallet"
    }
    if fields.isExpired(atWallSeconds: now) { return "the invoice has expired; ask for a new one" }
    if invoice.payee == wallet { return "this wallet made the invoice; pay an invoice of another wallet" }
    guard let bit = fields.features.bits.first(where: { $0.isMultiple(of: 2) && !served.contains($0) })
    else { return nil }
    return
      "the invoice requires \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which this wallet does not support; pay it with another wallet"
  }

  /// A request to withdraw to this address on chain.
  public static func withdrawal(amountSat: UInt64, to address: String) throws -> Request {
    .withdrawal(
      SpliceRequest(
        amountSat: amountSat, script: OutputScript(try BitcoinAddress(decoding: address, on: network))))
  }
}
