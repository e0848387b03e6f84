import Ground

/// The network of an invoice or an address.
public enum BitcoinNetwork: String, Hashable, CaseIterable, Codable, Sendable {
  case mainnet
  case testnet
  case signet
  /// A private test network; this project's wallets use it.
  case regtest

  /// The prefix after `ln` in an invoice.
  public var prefix: String {
    switch self {
    case .mainnet: "bc"
    case .testnet: "tb"
    case .signet: "tbs"
    case .regtest: "bcrt"
    }
  }

  /// The prefix of BIP 173 addresses: signet has testnet's.
  var addressPrefix: String { self == .signet ? Self.testnet.prefix : prefix }

  /// The version byte of P2PKH addresses: the test networks share one.
  var publicKeyHashByte: UInt8 { self == .mainnet ? 0 : 111 }
  /// The version byte of P2SH addresses.
  var scriptHashByte: UInt8 { self == .mainnet ? 5 : 196 }
}

extension BitcoinNetwork {
  /// BOLT 1's `chain_hash`: the hash of the genesis block, in internal byte order.
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
