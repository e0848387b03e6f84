/// An output's script (scriptPubKey).
public struct OutputScript: Hashable, Codable, Sendable {
  public let bytes: Bytes

  public init(_ bytes: Bytes) { self.bytes = bytes }

  public init(_ address: BitcoinAddress) {
    let program = address.program.array
    let size = UInt8(program.count)
    switch address.version {
    case BitcoinAddress.publicKeyHash:
      bytes = Bytes(
        [Self.duplicate, Self.hash160, size] + program + [Self.equalVerify, Self.checkSignature])
    case BitcoinAddress.scriptHash: bytes = Bytes([Self.hash160, size] + program + [Self.equal])
    default: bytes = Bytes([Self.number(address.version), size] + program)
    }
  }

  // Opcodes.
  private static let duplicate: UInt8 = 0x76
  private static let hash160: UInt8 = 0xa9
  private static let equal: UInt8 = 0x87
  private static let equalVerify: UInt8 = 0x88
  private static let checkSignature: UInt8 = 0xac
  private static let nothing: UInt8 = 0x6a
  private static func number(_ value: UInt8) -> UInt8 { value == 0 ? 0 : 0x50 + value }

  /// Nil for a script without an address.
  public var address: BitcoinAddress? {
    for version in 0...BitcoinAddress.scriptHash {
      let rest =
        switch version {
        case BitcoinAddress.publicKeyHash: bytes.array.dropFirst(3).dropLast(2)
        case BitcoinAddress.scriptHash: bytes.array.dropFirst(2).dropLast(1)
        default: bytes.array.dropFirst(2)
        }
      if let address = BitcoinAddress(version: version, program: Array(rest)), OutputScript(address) == self {
        return address
      }
    }
    return nil
  }

  /// BOLT 3, "Dust Limits": a smaller output is not relayed. Nil for a script that is not relayed at all.
  public var dustLimit: UInt64? {
    guard let address else { return bytes.array.first == Self.nothing ? 0 : nil }
    return switch (address.version, address.program.count) {
    case (BitcoinAddress.publicKeyHash, _): 546
    case (BitcoinAddress.scriptHash, _): 540
    case (0, BitcoinAddress.hashSize): 294
    case (0, _): 330
    case (1, 2) where address.program == Self.anchor: 240
    default: 354
    }
  }

  /// The witness program of a P2A output, which everyone can spend to raise the transaction's fee.
  private static let anchor: Bytes = [0x4e, 0x73]
}
