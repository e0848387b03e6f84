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
