import Crypto
import DaemonRuntime
import Guardrails
import Lightning

/// Pays invoices when the person says so, and keeps the app at work until each payment is over: as a task with a name,
/// whose end belongs to its beginning.
final class PaymentDesk {
  private struct Payment {
    var hash: Bytes32
    /// Who waits for the word; empty once it is said.
    var request: String?
    var amountMsat: UInt64
    var task: TaskBeginning
  }

  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  private let wallet: PublicKey
  private let node: NodeShell
  private let clock: Clock
  private var payments: [Payment] = []
  private var generation: UInt64 = 0

  var onAnswer: ((ControlMessage) -> Void)?
  var onTask: ((GuardEvent) -> Void)?

  init(wallet: PublicKey, node: NodeShell, clock: Clock) {
    self.wallet = wallet
    self.node = node
    self.clock = clock
    node.onPayment = { [unowned self] in heard($0) }
  }

  func asked(_ message: ControlMessage) {
    let request = message["request"] ?? ""
    do {
      let invoice = try SignedInvoice(decoding: try message.required("invoice"))
      let chosen = try message.integerIfPresent("amount-msat", in: 1...InvoiceDesk.amountMsatMax)
      if let sentence = objection(to: invoice) { return refuse(request, sentence) }
      switch (invoice.amountMsat, chosen) {
      case (nil, nil): refuse(request, "the invoice leaves the amount to you; say how much")
      case (_?, _?): refuse(request, "the invoice asks for its own amount; say none")
      case (let asked?, nil): pay(invoice, asked, request)
      case (nil, let chosen?): pay(invoice, chosen, request)
      }
    } catch { refuse(request, "\(error)") }
  }

  /// The wall clock decides only whether to begin: what is begun ends as the channel says.
  private func objection(to invoice: SignedInvoice) -> String? {
    let fields = invoice.fields
    if fields.network != Self.network {
      return
        "the invoice is of \(fields.network.rawValue), and this wallet is on \(Self.network.rawValue); pay it with another wallet"
    }
    if fields.isExpired(atWallSeconds: clock.wallNanoseconds / 1_000_000_000) {
      return "the invoice has expired; ask for a new one"
    }
    if invoice.payee == wallet { return "the invoice is this wallet's own; pay one of somebody else's" }
    if let bit = fields.features.bits.first(where: { $0.isMultiple(of: 2) && !Self.served.contains($0) }) {
      return
        "the invoice demands \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which this wallet does not know; pay it with another"
    }
    if payments.contains(where: { $0.hash == invoice.paymentHash }) {
      return "this invoice is being paid already; wait for its end"
    }
    return nil
  }

  private func pay(_ invoice: SignedInvoice, _ amountMsat: UInt64, _ request: String) {
    generation &+= 1
    let hash = invoice.paymentHash
    let task = TaskBeginning(name: "outgoing payment \(hash.hex.prefix(8))", generation: generation)
    payments.append(Payment(hash: hash, request: request, amountMsat: amountMsat, task: task))
    onTask?(.taskBegan(task))
    node.pay(
      OutgoingPayment(
        paymentHash: hash, amountMsat: amountMsat, paymentSecret: invoice.fields.paymentSecret))
  }

  private func heard(_ news: PaymentNews) {
    switch news {
    case .offered(let hash):
      guard let index = payments.firstIndex(where: { $0.hash == hash }) else { return }
      guard let request = payments[index].request else { return }
      payments[index].request = nil
      onAnswer?(
        ControlMessage(
          "send-done",
          [
            "request": request, "state": "offered", "payment-hash": hash.hex,
            "amount-msat": "\(payments[index].amountMsat)",
          ]))
    case .refused(let hash, let sentence):
      guard let payment = end(hash) else { return }
      payment.request.map { refuse($0, sentence) }
    case .ended(let hash): _ = end(hash)
    }
  }

  private func end(_ hash: Bytes32) -> Payment? {
    guard let index = payments.firstIndex(where: { $0.hash == hash }) else { return nil }
    let payment = payments.remove(at: index)
    onTask?(.taskEnded(payment.task))
    return payment
  }

  private func refuse(_ request: String, _ sentence: String) {
    onAnswer?(ControlMessage("send-failed", ["request": request, "message": sentence]))
  }
}
