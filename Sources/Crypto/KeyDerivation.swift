import Ground

/// HKDF with SHA-256 (RFC 5869) without `info`, for two keys: all that BOLT 8 uses.
public enum KeyDerivation {
  public static func twoKeys(salt: Bytes32, from material: [UInt8]) -> (first: Bytes32, second: Bytes32) {
    let extracted = HMACSHA256.authenticate(material, key: salt.bytes).bytes
    let first = HMACSHA256.authenticate([1], key: extracted)
    return (first, HMACSHA256.authenticate(first.bytes + [2], key: extracted))
  }
}
