import Ground
import Crypto
import DaemonRuntime
import Guardrails
import Lightning

/// Pays invoices when the person says so, and keeps the app at work until each payment is over: as a task with a name,
/// whose end belongs to its beginning.
final class PaymentDesk {
  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  private let wallet: PublicKey
  private let node: NodeShell
  private let clock: Clock
  private var tasks = PaymentTasks()

  var onAnswer: ((ControlMessage) -> Void)?
  /// What the person reads in the app.
  var status: (() -> Status?)?
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
      case (let asked?, _?):
        refuse(request, "the invoice asks for \(AmountText.words(msat: asked)) itself; leave the amount out")
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
    if invoice.payee == wallet { return "the invoice is this wallet's own; pay one of another wallet" }
    if let bit = fields.features.bits.first(where: { $0.isMultiple(of: 2) && !Self.served.contains($0) }) {
      return
        "the invoice demands \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which this wallet does not know; pay it with another"
    }
    return tasks.isUnderWay(invoice.paymentHash) ? PaymentTasks.underWay : nil
  }

  private func pay(_ invoice: SignedInvoice, _ amountMsat: UInt64, _ request: String) {
    let hash = invoice.paymentHash
    guard let task = tasks.begin(hash, amountMsat: amountMsat, for: request) else {
      return refuse(request, PaymentTasks.underWay)
    }
    onTask?(.taskBegan(task))
    node.pay(
      OutgoingPayment(
        paymentHash: hash, amountMsat: amountMsat, paymentSecret: invoice.fields.paymentSecret))
  }

  private func heard(_ news: PaymentNews) {
    switch news {
    case .started(let pending):
      for entry in tasks.nodeStarted(pending: pending) { onTask?(.taskEnded(entry.task)) }
    case .offered(let hash):
      guard let entry = tasks.offered(hash), let request = entry.request else { return }
      onAnswer?(
        ControlMessage(
          "send-done",
          [
            "request": request, "state": "offered", "payment-hash": hash.hex,
            "amount-msat": "\(entry.amountMsat)",
          ]))
    case .refused(let hash, let sentence):
      if let request = end(hash)?.request { refuse(request, NodeRefusal.sentence(sentence, status?())) }
    case .ended(let hash): _ = end(hash)
    }
  }

  private func end(_ hash: Bytes32) -> PaymentTasks.Entry? {
    guard let entry = tasks.end(hash) else { return nil }
    onTask?(.taskEnded(entry.task))
    return entry
  }

  private func refuse(_ request: String, _ sentence: String) {
    onAnswer?(ControlMessage("send-failed", ["request": request, "message": sentence]))
  }
}
