import Ground

/// Whose bitcoin an invoice or an address asks for.
public enum BitcoinNetwork: String, Hashable, CaseIterable, Codable, Sendable {
  case mainnet
  case testnet
  case signet
  /// Where everybody makes blocks of their own. The wallets of this project are there.
  case regtest

  /// What stands behind `ln` in an invoice.
  public var prefix: String {
    switch self {
    case .mainnet: "bc"
    case .testnet: "tb"
    case .signet: "tbs"
    case .regtest: "bcrt"
    }
  }

  /// What an address of BIP 173 begins with: signet has those of testnet.
  var addressPrefix: String { self == .signet ? Self.testnet.prefix : prefix }

  /// What stands in front of the hash of a key in an address of Base58: all but mainnet have one.
  var publicKeyHashByte: UInt8 { self == .mainnet ? 0 : 111 }
  /// What stands in front of the hash of a script.
  var scriptHashByte: UInt8 { self == .mainnet ? 5 : 196 }
}

extension BitcoinNetwork {
  /// BOLT 1's `chain_hash`: the hash of the first block, its bytes as they are hashed and not as they are shown.
  public var chain: Bytes32 {
    let hex =
      switch self {
      case .mainnet: "6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"
      case .testnet: "43497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea330900000000"
      case .signet: "f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000"
      case .regtest: "06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"
      }
    return Bytes32(hex: hex) ?? .zero
  }
}
