import CSodium

/// SHA-256, as FIPS 180-4 has it.
public enum SHA256 {
  public static func hash(_ bytes: [UInt8]) -> Bytes32 {
    var digest = [UInt8](repeating: 0, count: Bytes32.size)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return Bytes32(digest) ?? .zero
  }
}
