import CSecp256k1
import CSodium

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
