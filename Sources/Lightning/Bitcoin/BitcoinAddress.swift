/// A Bitcoin address; in an invoice, the payee's on-chain fallback.
public struct BitcoinAddress: Hashable, Sendable {
  /// 0 to 16: the witness version; 17: P2PKH; 18: P2SH (BOLT 11's fallback versions).
  public let version: UInt8
  public let program: Bytes

  static let publicKeyHash: UInt8 = 17
  static let scriptHash: UInt8 = 18
  static let hashSize = 20

  /// Nil unless the length is valid: 20 bytes for 17 and 18, 20 or 32 for 0, 2 to 40 for 1 to 16.
  public init?(version: UInt8, program: [UInt8]) {
    switch version {
    case 0: guard program.count == Self.hashSize || program.count == 32 else { return nil }
    case 1...16: guard (2...40).contains(program.count) else { return nil }
    case Self.publicKeyHash, Self.scriptHash: guard program.count == Self.hashSize else { return nil }
    default: return nil
    }
    self.version = version
    self.program = Bytes(program)
  }

  package static func isKnown(version: UInt8) -> Bool { version <= scriptHash }

  /// The address as text.
  public func text(on network: BitcoinNetwork) -> String {
    switch version {
    case Self.publicKeyHash: return Base58.encodeChecked([network.publicKeyHashByte] + program.array)
    case Self.scriptHash: return Base58.encodeChecked([network.scriptHashByte] + program.array)
    default:
      return Bech32.encode(
        prefix: network.addressPrefix, words: [version] + Bech32.words(of: program.array),
        as: version == 0 ? .bech32 : .bech32m)
    }
  }
}
