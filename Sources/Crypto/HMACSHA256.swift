import CSodium

/// HMAC-SHA256, as RFC 2104 has it, with a key of any length.
public enum HMACSHA256 {
  public static func authenticate(_ message: [UInt8], key: [UInt8]) -> Bytes32 {
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: Bytes32.size)
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    crypto_auth_hmacsha256_final(&state, &code)
    return Bytes32(code) ?? .zero
  }
}
