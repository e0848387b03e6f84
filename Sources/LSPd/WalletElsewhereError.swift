/// Another lspd of the same database serves the wallet.
struct WalletElsewhereError: Error, CustomStringConvertible {
  /// Of that lspd.
  var home: String

  var description: String {
    "another lspd of this database serves the wallet\(home.isEmpty ? "" : ", that of \(home)"): connect to it or ask it, or stop it first"
  }
}
