import CSodium

/// Handmade frames, byte by byte as BOLT 1 and BOLT 2 lay them out.
enum WireBytes {
  static let channel = [UInt8](repeating: 0xC1, count: 32)
  private static let features: [UInt8] = [0x08, 0x00, 0x00, 0x00, 0x20, 0x02]
  /// With option_quiesce (35) and option_splice (63).
  private static let spliceFeatures: [UInt8] = [0x80, 0x00, 0x08, 0x08, 0x00, 0x00, 0x20, 0x02]

  /// `init`, up to its TLVs.
  static func hello(_ splices: Bool) -> [UInt8] {
    splices ? [0, 16, 0, 0, 0, 8] + spliceFeatures : [0, 16, 0, 0, 0, 6] + features
  }

  static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> UInt64(8 * (count - 1 - $0)) & 0xff) }
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// Without a claim.
  static let initMessage = [0, 16, 0, 0, 0, 6] + features

  static func initMessage(
    epoch: Int64, incarnation: Int64, container: [UInt8], splices: Bool = false,
    replacing replaced: (epoch: Int64, container: [UInt8])? = nil
  ) -> [UInt8] {
    let record = number(UInt64(epoch), 8) + number(UInt64(bitPattern: incarnation), 8) + container
    let claim = hello(splices) + [0xfe, 0xba, 0x70, 0, 1, 32] + record
    guard let replaced else { return claim }
    return claim + [0xfe, 0xba, 0x70, 0, 7, 24] + number(UInt64(replaced.epoch), 8) + replaced.container
  }

  static func fenceAnswer(accepted: Bool, highest: Int64, container: [UInt8]) -> [UInt8] {
    [0xba, 0x71, accepted ? 1 : 0] + number(UInt64(highest), 8) + container
  }

  static func reestablish(nextCommitment: UInt64, nextRevocation: UInt64, secret: [UInt8]) -> [UInt8] {
    [0, 136] + channel + number(nextCommitment, 8) + number(nextRevocation, 8) + secret + zeros(33)
  }

  static func storage(_ blob: [UInt8]) -> [UInt8] { [0, 7] + number(UInt64(blob.count), 2) + blob }
  static func retrieval(_ blob: [UInt8]) -> [UInt8] { [0, 9] + number(UInt64(blob.count), 2) + blob }
  static func ping(_ size: UInt64) -> [UInt8] { [0, 18] + number(size, 2) + [0, 0] }
  static func pong(_ size: Int) -> [UInt8] { [0, 19] + number(UInt64(size), 2) + zeros(size) }

  static func warning(_ words: String, code: UInt8? = nil, of channel: [UInt8]) -> [UInt8] {
    [0, 1] + channel + number(UInt64(words.utf8.count), 2) + Array(words.utf8)
      + (code.map { [0xfe, 0xba, 0x70, 0, 9, 1, $0] } ?? [])
  }

  static func add(_ id: UInt64, msat: UInt64, hash: [UInt8], totalMsat: UInt64? = nil) -> [UInt8] {
    let plain =
      [0, 128] + channel + number(id, 8) + number(msat, 8) + hash + number(700_144, 4) + zeros(1366)
    guard let totalMsat else { return plain }
    let total = Array(number(totalMsat, 8).drop { $0 == 0 })
    return plain + [0xfe, 0xba, 0x70, 0, 5, UInt8(32 + total.count)] + secret(of: hash) + total
  }

  /// The payment secret of an invoice.
  static func secret(of hash: [UInt8]) -> [UInt8] { sha256(hash + [1]) }

  static func pushKey(_ key: [UInt8]) -> [UInt8] { [0xba, 0x73] + key }
  static func holdEnded(_ hash: [UInt8]) -> [UInt8] { [0xba, 0x75] + hash }

  static func fulfil(_ id: UInt64, preimage: [UInt8]) -> [UInt8] {
    [0, 130] + channel + number(id, 8) + preimage
  }

  static func commit(signatures: Int) -> [UInt8] {
    [0, 132] + channel + zeros(64) + number(UInt64(signatures), 2) + zeros(64 * signatures)
  }

  static func revoke(secret: [UInt8]) -> [UInt8] { [0, 133] + channel + secret + zeros(33) }

  // MARK: Secrets

  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = zeros(32)
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }

  /// BOLT 3's generate_from_seed, from the public seed of this version.
  static func secret(ofPeer: Bool, _ number: UInt64) -> [UInt8] {
    var value = sha256(Array("per-commitment seed".utf8) + channel + [ofPeer ? 1 : 0])
    let index = (UInt64(1) << 48) - 1 - number
    for bit in (0..<48).reversed() where index >> UInt64(bit) & 1 == 1 {
      value[bit / 8] ^= 1 << UInt8(bit % 8)
      value = sha256(value)
    }
    return value
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
