/// Whose bitcoin an invoice asks for.
public enum BitcoinNetwork: String, Hashable, CaseIterable, Sendable {
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
}
