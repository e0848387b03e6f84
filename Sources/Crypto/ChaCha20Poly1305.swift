import Ground
import CSodium

/// ChaCha20-Poly1305 with the 12-byte nonce of RFC 8439. The caller must not use a nonce twice with one key.
public enum ChaCha20Poly1305 {
  public static let nonceSize = 12
  public static let tagSize = 16

  /// The ciphertext and its tag; nil if the nonce is not 12 bytes.
  public static func seal(
    _ plaintext: [UInt8], key: Bytes32, nonce: [UInt8], authenticating header: [UInt8] = []
  ) -> [UInt8]? {
    seal(plaintext, key.bytes, nonce, header)
  }

  public static func seal(_ plaintext: [UInt8], key: LockedSecret, nonce: [UInt8]) -> [UInt8]? {
    key.count == Bytes32.size ? key.withBytes { seal(plaintext, $0, nonce, []) } : nil
  }

  private static func seal(
    _ plaintext: [UInt8], _ key: UnsafePointer<UInt8>, _ nonce: [UInt8], _ header: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceSize else { return nil }
    var sealed = [UInt8](repeating: 0, count: plaintext.count + tagSize)
    var length: UInt64 = 0
    let result = crypto_aead_chacha20poly1305_ietf_encrypt(
      &sealed, &length, plaintext, UInt64(plaintext.count), header, UInt64(header.count), nil, nonce, key)
    return result == 0 ? sealed : nil
  }

  /// The plaintext; nil if the ciphertext was changed, or key, nonce or header differ.
  public static func open(
    _ sealed: [UInt8], key: Bytes32, nonce: [UInt8], authenticating header: [UInt8] = []
  ) -> [UInt8]? {
    open(sealed, key.bytes, nonce, header)
  }

  public static func open(_ sealed: [UInt8], key: LockedSecret, nonce: [UInt8]) -> [UInt8]? {
    key.count == Bytes32.size ? key.withBytes { open(sealed, $0, nonce, []) } : nil
  }

  private static func open(
    _ sealed: [UInt8], _ key: UnsafePointer<UInt8>, _ nonce: [UInt8], _ header: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceSize, sealed.count >= tagSize else { return nil }
    // One byte more than needed, so that an empty plaintext has an address too.
    var plaintext = [UInt8](repeating: 0, count: sealed.count - tagSize + 1)
    var length: UInt64 = 0
    let result = crypto_aead_chacha20poly1305_ietf_decrypt(
      &plaintext, &length, nil, sealed, UInt64(sealed.count), header, UInt64(header.count), nonce, key)
    guard result == 0 else { return nil }
    plaintext.removeLast()
    return plaintext
  }
}
