import Ground
import Crypto
import LightningProvider

/// An invoice of somebody else's, which the person pays with the wallet.
public struct WorldSend: Hashable, Sendable {
  /// What the app says to the person who pressed "send" last.
  public enum Answer: Hashable, Sendable {
    case offered
    case refused(String)
  }

  public let invoice: ElsewhereInvoice
  public internal(set) var answer: Answer?
  /// The phone's number of the newest request.
  var request: UInt64
  /// The person has pressed "send" for it once.
  var isAskedOnce = false
  /// The person was told once that nothing left, and has not pressed "send" again.
  var isRefused = false
  /// When the person pressed "send" last.
  var askedAt: Instant
  /// The HTLCs with which it has come to whoever made the invoice.
  public internal(set) var arrivals: [UInt64] = []
  /// What the wallet knew of it went with a database, in the place of which an old copy was put.
  public internal(set) var isForgotten = false
  /// The last time that it was paid: the money is back.
  public internal(set) var hasFailed = false

  public var hasArrived: Bool { !arrivals.isEmpty }

  init(number: Int, amountMsat: UInt64) {
    let preimage = Bytes32(word: 0xE15E_0000_0000_0000 &+ UInt64(number))
    invoice = ElsewhereInvoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: amountMsat,
      paymentSecret: Bytes32(word: 0xE15E_5EC0_0000_0000 &+ UInt64(number)), preimage: preimage)
    request = 0
    askedAt = .zero
  }
}
