import Ground
import Crypto
import DaemonRuntime
import Guardrails
import LightningProvider

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

  /// The alert of a wallet that has named no key has no payload, and so neither hash nor amount.
  init(
    _ push: PushRequest, opensChannel: Bool, key: PublicKey?, sealsSilent: Bool, now: Instant,
    wallNanoseconds: Int64
  ) {
    let isSilent = push.kind == .silent
    aps = isSilent ? .silent : .alert("Payment Incoming", "Open Bitkit to receive")
    if isSilent { type = PushReader.wakeType }
    if isSilent, !sealsSilent {
      paymentHash = push.paymentHash?.hex
      amountMsat = push.amountMsat
    } else {
      let plain = OpenedPayload(
        push.announcement(opensChannel: opensChannel, now: now, wallNanoseconds: wallNanoseconds),
        createdAt: UTCText.write(wallNanoseconds))
      payload = key.flatMap { Sealed(plain.json, to: $0) }
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

extension PushRequest {
  fileprivate func announcement(opensChannel: Bool, now: Instant, wallNanoseconds: Int64) -> Announcement {
    let kind: Announcement.Kind =
      switch reason {
      case .paidOrder: .orderPaymentConfirmed
      case .mutualClose: .mutualClose
      case .incomingPayment, .pendingSettlement: opensChannel ? .cjitPaymentArrived : .incomingHtlc
      }
    let end = holdUntil.map { wallNanoseconds.addingReportingOverflow(($0 - now).nanoseconds) }
    return Announcement(
      kind: kind, paymentHash: paymentHash, amountMsat: amountMsat, isHeld: isHeld,
      // In seconds of the wall clock, never after the true end. Nil: nothing is held, or it has no end.
      holdEndsAt: end.flatMap { $0.overflow ? nil : $0.partialValue / 1_000_000_000 })
  }
}
