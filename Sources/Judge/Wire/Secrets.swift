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
