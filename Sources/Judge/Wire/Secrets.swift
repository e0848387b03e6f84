import CSecp256k1
import CSodium

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
