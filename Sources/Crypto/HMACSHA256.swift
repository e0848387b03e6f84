import Ground
import CSodium

/// HMAC-SHA256 (RFC 2104), with a key of any length.
public enum HMACSHA256 {
  public static func authenticate(_ message: [UInt8], key: [UInt8]) -> Bytes32 {
    Bytes32(code(of: message, key, key.count)) ?? .zero
  }

  public static func authenticate(_ message: [UInt8], key: LockedSecret) -> Bytes32 {
    Bytes32(code(of: message, key: key)) ?? .zero
  }

  static func code(of message: [UInt8], key: LockedSecret) -> [UInt8] {
    key.withBytes { code(of: message, $0, key.count) }
  }

  private static func code(of message: [UInt8], _ key: UnsafePointer<UInt8>, _ size: Int) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var code = [UInt8](repeating: 0, count: Bytes32.size)
    crypto_auth_hmacsha256_init(&state, key, size)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    // Wipes the state, which contains the key.
    crypto_auth_hmacsha256_final(&state, &code)
    return code
  }
}
