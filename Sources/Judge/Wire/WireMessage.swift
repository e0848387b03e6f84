import CSecp256k1
import CSodium
import Ground

/// One message of BOLT 1 or BOLT 2, as far as the judge needs it.
enum WireMessage: Hashable {
  case initMessage(FenceClaim?, features: [UInt8], replaces: ReplacedFenceClaim?)
  /// An error (17) or warning (1). `isStfuTimeout`: sent as the splice negotiation timed out.
  case errorOrWarning(type: Int, text: String, isStfuTimeout: Bool)
  case ping(pongSize: Int)
  case pong(size: Int)
  case storage([UInt8])
  case retrieval([UInt8])
  case reestablish(Reestablish)
  /// The peer's answer to a claim.
  case fenceReply(FenceReply)
  /// The wallet's key that its pushes are sealed to.
  case pushKey([UInt8])
  /// The peer no longer holds a payment of this hash.
  case holdEnded(paymentHash: [UInt8])
  case step(ChannelStep)
  case other(type: Int)

  struct Reestablish: Hashable {
    let channel: [UInt8]
    let nextCommitment: UInt64
    let nextRevocation: UInt64
    let secret: [UInt8]
    var fundings = Fundings()
  }
}

/// The fundings in a `channel_reestablish`.
struct Fundings: Hashable {
  /// `next_funding`: the transaction that waits for the other side's signatures.
  var next: [UInt8]?
  var needsCommitment = false
  /// `my_current_funding_locked`.
  var locked: [UInt8]?
}

/// The private record in the wallet's `init`: the claim under which the wallet dialled.
struct FenceClaim: Hashable, Decodable {
  let epoch: Int64
  let incarnation: Int64
  let container: [UInt8]
}

/// The private record in the `init` of a moved wallet: the replaced claim of another container.
struct ReplacedFenceClaim: Hashable {
  let epoch: Int64
  let container: [UInt8]
}

/// The peer's answer to a claim: a private message after its `init`.
struct FenceReply: Hashable {
  let accepted: Bool
  let highest: Int64
  let container: [UInt8]
}

/// A message that moves the channel.
enum ChannelStep: Hashable {
  case add(id: UInt64, amountMsat: UInt64, paymentHash: [UInt8], cltvExpiry: UInt64, data: PartData?)
  case fulfil(id: UInt64, preimage: [UInt8])
  case fail(id: UInt64, code: Int64?)
  case failMalformed(id: UInt64, code: Int64)
  case fee(perKiloweight: UInt64)
  /// With another funding than the channel's it binds its sender to a splice, and moves no HTLC.
  case commit(htlcSignatures: Int, funding: [UInt8]?)
  case revoke(secret: [UInt8])
  case splice(SpliceStep)

  /// A commitment or a revocation, which counts a state number.
  var isNumbered: Bool {
    switch self {
    case .commit(_, let funding): funding == nil
    case .revoke: true
    case .add, .fulfil, .fail, .failMalformed, .fee, .splice: false
    }
  }

  var isOfSplice: Bool {
    switch self {
    case .splice: true
    case .commit(_, let funding): funding != nil
    case .add, .fulfil, .fail, .failMalformed, .fee, .revoke: false
    }
  }
}

/// `payment_data` of an HTLC: the invoice's payment secret, and the total of all parts.
struct PartData: Hashable {
  let secret: [UInt8]
  let totalMsat: UInt64
}

/// A splice message, the splice fields of `channel_reestablish`, or a disconnect. Transaction ids are in the byte
/// order of the hash.
enum SpliceStep: Hashable {
  /// `stfu`
  case stfu(isInitiator: Bool)
  case begin(SpliceTerms)
  case agree(contribution: Int64, key: [UInt8])
  case input(SpliceInput)
  case output(SpliceOutput)
  case complete
  case signatures(txid: [UInt8])
  case abort(text: [UInt8])
  case locked(txid: [UInt8])
  case resume(Fundings)
  /// Ends a negotiation.
  case disconnect
}

struct SpliceTerms: Hashable {
  let contribution: Int64
  let feeratePerKw: UInt64
  let lockTime: UInt64
  let key: [UInt8]
}

struct SpliceInput: Hashable {
  let serial: UInt64
  let outputIndex: UInt64
  let sequence: UInt64
  let spends: [UInt8]
}

struct SpliceOutput: Hashable {
  let serial: UInt64
  let satoshis: UInt64
  let script: [UInt8]
}

/// A txid in its usual display order, which is reversed.
func transactionWords(_ txid: [UInt8]) -> String { Hexadecimal.encode(txid.reversed()) }

/// SHA-256, and the per-commitment secrets of BOLT 3, which this version derives from the channel id.
enum Secrets {
  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }

  /// The secret that a side reveals when it revokes its commitment of this number.
  static func perCommitment(channel: [UInt8], ofOpener: Bool, number: UInt64) -> [UInt8] {
    var value = sha256(Array("per-commitment seed".utf8) + channel + [ofOpener ? 1 : 0])
    let last: UInt64 = (1 << 48) - 1
    let index = last - min(number, last)
    for bit in stride(from: 47, through: 0, by: -1) where index & (1 << UInt64(bit)) != 0 {
      value[bit / 8] ^= 1 << UInt8(bit % 8)
      value = sha256(value)
    }
    return value
  }
}

/// The wallet's node id, derived from its seed by the rule of docs/protocols.md.
enum NodeIdentity {
  static func of(seed: [UInt8]) -> [UInt8]? {
    var state = crypto_auth_hmacsha256_state()
    var secret = [UInt8](repeating: 0, count: 32)
    let words = Array("baton node key".utf8)
    crypto_auth_hmacsha256_init(&state, seed, seed.count)
    crypto_auth_hmacsha256_update(&state, words, UInt64(words.count))
    crypto_auth_hmacsha256_final(&state, &secret)
    guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else { return nil }
    defer { secp256k1_context_destroy(context) }
    var point = secp256k1_pubkey()
    var bytes = [UInt8](repeating: 0, count: 33)
    var count = bytes.count
    guard secp256k1_ec_pubkey_create(context, &point, secret) == 1,
      secp256k1_ec_pubkey_serialize(context, &bytes, &count, &point, UInt32(SECP256K1_EC_COMPRESSED)) == 1
    else { return nil }
    return bytes
  }
}
