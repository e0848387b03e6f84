import Ground
import Crypto
import DaemonRuntime
import JSON
import LightningProvider
import PushSeal

/// Like Bitkit's two pushes: a silent one, which may wake the app, and a visible one, whose payload only the wallet can
/// read.
struct BitkitPush: Encodable {
  /// As Bitkit's servers: the reader takes any length from 12 bytes up.
  private static let ivSize = 16

  private let aps: PushAPS
  private var paymentHash: String?
  private var amountMsat: UInt64?
  /// Of the silent push.
  private var type: String?
  private var payload: Sealed?

  enum CodingKeys: String, CodingKey {
    case aps
    case paymentHash = "payment_hash"
    case amountMsat = "amount_msat"
    case type, payload
  }

  /// A wallet that has named no key gets no payload, and so neither hash nor amount.
  init(
    _ push: PushRequest, key: PublicKey?, sealsSilent: Bool, now: Instant, wallNanoseconds: Int64
  ) {
    let isSilent = push.kind == .silent
    aps = isSilent ? .silent : .alert("Payment Incoming", "Open Bitkit to receive")
    if isSilent { type = "incoming_htlc_wake" }
    if isSilent, !sealsSilent {
      paymentHash = push.paymentHash?.hex
      amountMsat = push.amountMsat
    } else {
      let plain = SealedText(push, now: now, wallNanoseconds: wallNanoseconds).text
      payload = key.flatMap { Sealed(Array(plain.utf8), to: $0) }
    }
  }

  var text: String { (try? JSONLineEncoder().encode(self)) ?? "{}" }

  /// The members of Bitkit's encrypted payload.
  private struct Sealed: Encodable {
    var cipher: String
    var iv: String
    var publicKey: String
    var tag: String

    /// Under a key and vector of its own.
    init?(_ plain: [UInt8], to key: PublicKey) {
      guard let ephemeral = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }),
        let sealed = PushSeal.seal(plain, to: key, ephemeral: ephemeral, iv: randomBytes(BitkitPush.ivSize))
      else { return nil }
      cipher = sealed.cipherText
      iv = sealed.ivText
      publicKey = sealed.publicKey.hex
      tag = sealed.tagText
    }
  }
}

/// What the payload says once it is opened.
struct SealedText: Encodable {
  struct Payload: Encodable {
    var paymentHash: String?
    var amountMsat: UInt64?
    var held: Bool
    /// In seconds of the wall clock, never after the true end. Nil: nothing is held, or it has no end.
    var holdExpiresAt: Int64?
  }

  var source = "blocktank"
  var type = "incomingHtlc"
  var payload: Payload
  var createdAt: String

  init(_ push: PushRequest, now: Instant, wallNanoseconds: Int64) {
    let end = push.holdUntil.map { wallNanoseconds.addingReportingOverflow(($0 - now).nanoseconds) }
    payload = Payload(
      paymentHash: push.paymentHash?.hex, amountMsat: push.amountMsat, held: push.isHeld,
      holdExpiresAt: end.flatMap { $0.overflow ? nil : $0.partialValue / 1_000_000_000 })
    createdAt = UTCText.write(wallNanoseconds)
  }

  var text: String { (try? JSONLineEncoder().encode(self)) ?? "{}" }
}
