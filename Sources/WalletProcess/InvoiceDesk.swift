import Ground
import Crypto
import DaemonRuntime
import Guardrails
import Lightning

/// Makes invoices that the phone asks for, and answers when they are stored, or cannot be.
final class InvoiceDesk {
  private struct Wish {
    var request: String
    var paymentHash: Bytes32
    /// What the person gets: signed before anything is stored, so that nobody waits for a payment that nobody can be
    /// asked for.
    var word: String
  }

  private let secrets: WalletSecrets
  private let node: NodeShell
  private let clock: Clock
  /// The node that a payer comes through; nil for a wallet that knows no peer yet.
  private let peer: PublicKey?
  private var waiting: [Wish] = []

  var onAnswer: ((ControlMessage) -> Void)?
  /// What the person reads in the app.
  var status: (() -> Status?)?

  static let amountMsatMax: UInt64 = 21_000_000 * 100_000_000 * 1000
  static let expirySecondsMax: Int64 = 366 * 24 * 3600
  static let expirySecondsStandard: Int64 = 3600
  /// A person asks for one at a time; these wait while the container is blocked.
  static let waitingMax = 64

  init(secrets: WalletSecrets, node: NodeShell, clock: Clock, peer: PublicKey?) {
    self.secrets = secrets
    self.node = node
    self.clock = clock
    self.peer = peer
    node.onInvoiceStored = { [unowned self] in answer($0, refusal: nil) }
    node.onInvoiceRefused = { [unowned self] in answer($0, refusal: $1) }
  }

  func asked(_ message: ControlMessage) {
    let request = message["request"] ?? ""
    do throws(ControlMessageError) {
      let amount = try message.integer("amount-msat", in: 1...Self.amountMsatMax)
      let seconds = try message.integerIfPresent("expiry-seconds", in: 1...Self.expirySecondsMax)
      let text = message["description"] ?? ""
      guard text.utf8.count <= Invoice.textLimit else {
        throw .badValue(name: "description", expected: "at most \(Invoice.textLimit) bytes")
      }
      guard waiting.count < Self.waitingMax else {
        return refuse(request, "\(Self.waitingMax) invoices wait to be stored already; ask again later")
      }
      let now = clock.wallNanoseconds / 1_000_000_000
      let expiresAt = now + (seconds ?? Self.expirySecondsStandard)
      let invoice = secrets.makeInvoice(amountMsat: amount, text: text, expiresAt: expiresAt)
      sign(invoice, madeAt: now, for: request)
    } catch { refuse(request, error.description) }
  }

  private func sign(_ invoice: Invoice, madeAt now: Int64, for request: String) {
    do throws(InvoiceError) {
      let word = try SignedInvoice(fields(of: invoice, madeAt: now), signedBy: secrets.nodeKey).encoded
      waiting.append(Wish(request: request, paymentHash: invoice.paymentHash, word: word))
      node.store(invoice)
    } catch { refuse(request, error.description) }
  }

  private func answer(_ paymentHash: Bytes32, refusal: String?) {
    guard let index = waiting.firstIndex(where: { $0.paymentHash == paymentHash }) else { return }
    let wish = waiting.remove(at: index)
    if let refusal { return refuse(wish.request, NodeRefusal.sentence(refusal, status?())) }
    onAnswer?(ControlMessage("invoice-made", ["request": wish.request, "invoice": wish.word]))
  }

  private func fields(of invoice: Invoice, madeAt: Int64) -> InvoiceFields {
    InvoiceFields(
      network: .regtest, amountMsat: invoice.amountMsat,
      // A clock from before 1970 is refused as one that is too late is.
      timestamp: UInt64(bitPattern: madeAt), paymentHash: invoice.paymentHash,
      paymentSecret: secrets.paymentSecret(tweak: invoice.tweak), purpose: .text(invoice.text),
      expirySeconds: UInt64(clamping: invoice.expiresAt - madeAt),
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard,
      routeHints: peer.map { [[RouteHop(to: secrets.nodeKey.publicKey, from: $0)]] } ?? [],
      features: .ofOurInvoices)
  }

  private func refuse(_ request: String, _ sentence: String) {
    onAnswer?(ControlMessage("invoice-failed", ["request": request, "message": sentence]))
  }
}

extension RouteHop {
  /// From the provider into the wallet, over a channel that is in no block: its alias is the beginning of the hash of
  /// the wallet's node, the same in both processes and with every invoice.
  fileprivate init(to wallet: PublicKey, from provider: PublicKey) {
    let alias = SHA256.hash(wallet.bytes).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    self.init(node: provider, channel: ShortChannelID(alias), expiryDelta: 144)
  }
}
