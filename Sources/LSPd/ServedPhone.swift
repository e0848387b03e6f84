import LightningProvider

/// Another phone that lspd serves too. In that phone's directory are a control socket and an address, as if it had an
/// lspd of its own, and the pushes of its wallet go to its iosd.
struct ServedPhone {
  var home: String
  var wallet: WalletNumber

  var socket: String { "\(home)/lsp/lspd.sock" }
  var address: String { "\(home)/lsp/address" }
  var http: String { "\(home)/lsp/http" }
  var httpToken: String { "\(home)/lsp/http-token" }
  /// Of an lspd of its own.
  static func ledger(_ home: String) -> String { "\(home)/lsp/ledger.sqlite" }
  var nodeFile: String { "\(home)/Keychain/wallet-node" }
  var iosdSocket: String { "\(home)/os/iosd.sock" }
}
