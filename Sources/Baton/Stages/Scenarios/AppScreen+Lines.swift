import Wallet

extension AppScreen {
  /// As the user reads them.
  var lines: [String] { [text] + [detail].compactMap { $0 } }
}
