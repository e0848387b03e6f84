import Ground
import Crypto
import DaemonRuntime
import LightningChannel
import LightningInvoices
import LightningProvider

// Somebody else in the network, who wants to be paid by the wallet. It is a node of its own, with a key of its own.
extension Provider {
  static let externalTextMax = 200

  func makeExternalInvoice(_ message: ControlMessage, for client: UnixConnection) throws {
    let amount = try message.integer("amount-msat", in: UInt64(1)...ChannelRecord.maximumCapacityMsat)
    let expiry = try message.integerIfPresent("expiry-seconds", in: UInt64(1)...31_536_000) ?? 3600
    let isForgotten = try message.flag("forgotten", default: false)
    let text = message["description"] ?? ""
    guard text.utf8.count <= Self.externalTextMax else {
      throw ControlMessageError.badValue(
        name: "description", expected: "at most \(Self.externalTextMax) bytes")
    }
    // What only who has the key can know, and the key itself stays where it is.
    let ownSecret = key.sharedSecret(with: key.publicKey).bytes
    guard let preimage = Bytes32(randomBytes(Bytes32.size)), let secret = Bytes32(randomBytes(Bytes32.size)),
      let node = PrivateKey(HMACSHA256.authenticate(Array("baton elsewhere node".utf8), key: ownSecret))
    else {
      client.send(.error("no key for another payee could be made; ask again"))
      return
    }
    let hash = SHA256.hash(preimage.bytes)
    let fields = InvoiceFields(
      network: .regtest, amountMsat: amount,
      timestamp: UInt64(bitPattern: clock.wallNanoseconds / 1_000_000_000), paymentHash: hash,
      paymentSecret: secret, purpose: .text(text), expirySeconds: expiry,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: .ofEveryInvoice)
    let word = try SignedInvoice(fields, signedBy: node).encoded
    // Durable when this returns. One that is forgotten nobody can honour: whoever pays it is refused as by any recipient
    // that does not know what it is asked about.
    if !isForgotten {
      runner.handle(
        .externalInvoiceMade(
          ExternalInvoice(
            paymentHash: hash, amountMsat: amount, paymentSecret: secret, preimage: preimage)))
    }
    client.send(ControlMessage("invoice", ["invoice": word]))
  }
}
