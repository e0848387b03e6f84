import Ground
import Crypto
import DaemonRuntime
import Lightning
import LightningProvider

// The external recipient of outgoing payments: another node, with its own key.
extension Provider {
  static let externalTextMax = 200

  func makeExternalInvoice(
    _ message: ControlMessage, of asked: ServedWallet, for client: UnixConnection
  ) throws {
    let amount = try message.integer("amount-msat", in: UInt64(1)...ChannelRecord.maximumCapacityMsat)
    let expiry = try message.integerIfPresent("expiry-seconds", in: UInt64(1)...31_536_000) ?? 3600
    let isForgotten = try message.flag("forgotten", default: false)
    let text = message["description"] ?? ""
    guard text.utf8.count <= Self.externalTextMax else {
      throw ControlMessageError.badValue(
        name: "description", expected: "at most \(Self.externalTextMax) bytes")
    }
    // A secret derived from the key, without copying the key.
    let ownSecret = key.sharedSecret(with: key.publicKey).bytes
    guard let preimage = Bytes32(randomBytes(Bytes32.size)), let secret = Bytes32(randomBytes(Bytes32.size)),
      let node = PrivateKey(HMACSHA256.authenticate(Array("baton elsewhere node".utf8), key: ownSecret))
    else {
      client.send(.error("the external node's key could not be made; try again"))
      return
    }
    let hash = SHA256.hash(preimage.bytes)
    let fields = InvoiceFields(
      network: .regtest, amountMsat: amount,
      timestamp: UInt64(bitPattern: clock.wallNanoseconds / 1_000_000_000), paymentHash: hash,
      paymentSecret: secret, purpose: .text(text), expirySeconds: expiry,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: .ofEveryInvoice)
    let word = try SignedInvoice(fields, signedBy: node).encoded
    // Durable when this returns. A forgotten invoice is not stored: its payment fails with
    // incorrect_or_unknown_payment_details.
    if !isForgotten {
      try wallet(namedIn: message, for: asked).runner.handle(
        .externalInvoiceMade(
          ExternalInvoice(paymentHash: hash, amountMsat: amount, paymentSecret: secret, preimage: preimage)))
    }
    client.send(ControlMessage("invoice", ["invoice": word]))
  }
}
