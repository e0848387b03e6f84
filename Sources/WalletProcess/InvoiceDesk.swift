import Crypto
import DaemonRuntime
import Lightning

/// Makes invoices that the phone asks for, and answers when they are stored, or cannot be.
final class InvoiceDesk {
  private let secrets: WalletSecrets
  private let node: NodeShell
  private let clock: Clock
  private var waiting: [(request: String, invoice: Invoice)] = []

  var onAnswer: ((ControlMessage) -> Void)?

  static let amountMsatMax: UInt64 = 21_000_000 * 100_000_000 * 1000
  static let expirySecondsMax: Int64 = 366 * 24 * 3600
  static let expirySecondsStandard: Int64 = 3600
  /// A person asks for one at a time; these wait while the container is blocked.
  static let waitingMax = 64

  init(secrets: WalletSecrets, node: NodeShell, clock: Clock) {
    self.secrets = secrets
    self.node = node
    self.clock = clock
    node.onInvoiceStored = { [unowned self] in answer($0, refusal: nil) }
    node.onInvoiceRefused = { [unowned self] in answer($0, refusal: $1) }
  }

  func asked(_ message: ControlMessage) {
    let request = message["request"] ?? ""
    do throws(ControlMessageError) {
      let amount = try message.integer("amount-msat", in: 1...Self.amountMsatMax)
      let seconds = try message.integerIfPresent("expiry-seconds", in: 1...Self.expirySecondsMax)
      let text = message["description"] ?? ""
      guard text.utf8.count <= InvoiceText.textLimit else {
        throw .badValue(name: "description", expected: "at most \(InvoiceText.textLimit) bytes")
      }
      guard waiting.count < Self.waitingMax else {
        return refuse(request, "\(Self.waitingMax) invoices wait to be stored already; ask again later")
      }
      let expiresAt = clock.wallNanoseconds / 1_000_000_000 + (seconds ?? Self.expirySecondsStandard)
      let invoice = secrets.makeInvoice(amountMsat: amount, text: text, expiresAt: expiresAt)
      waiting.append((request, invoice))
      node.store(invoice)
    } catch { refuse(request, error.description) }
  }

  private func answer(_ paymentHash: Bytes32, refusal: String?) {
    guard let index = waiting.firstIndex(where: { $0.invoice.paymentHash == paymentHash }) else { return }
    let (request, invoice) = waiting.remove(at: index)
    if let refusal { return refuse(request, refusal) }
    let text = InvoiceText(
      paymentHash: paymentHash, amountMsat: invoice.amountMsat, expiresAt: invoice.expiresAt,
      text: invoice.text)
    onAnswer?(ControlMessage("invoice-made", ["request": request, "invoice": text.encoded]))
  }

  private func refuse(_ request: String, _ sentence: String) {
    onAnswer?(ControlMessage("invoice-failed", ["request": request, "message": sentence]))
  }
}
