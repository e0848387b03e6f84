import Wallet
import Guardrails

/// Why the wallet's seed cannot be used.
enum KeychainError: Error, Hashable, CustomStringConvertible {
  case missing(String)
  case noWallet
  case wrongSize(String, Int64)
  case noNodeKey(String)
  case another(String)
  case withheld(String)
  case phoneGone(String)

  var description: String {
    switch self {
    case .missing(let path):
      "\(path) is missing and the wallet is not new; restore the seed: without it the channel and the peer's backup are unusable"
    case .noWallet: "there is no wallet yet: the app makes it when the user opens it for the first time"
    case .wrongSize(let path, let size):
      "\(path) has \(size) bytes instead of 32; restore the seed that the wallet was made with"
    case .noNodeKey(let path):
      "\(path) gives no valid node key; restore the seed that the wallet was made with"
    case .withheld(let sentence): WalletTexts.seedWithheld(sentence)
    case .phoneGone(let why): "the wallet's seed cannot be read from the phone: \(why)"
    case .another(let path):
      "\(path) is not the seed that this wallet's invoices were made with; restore that seed"
    }
  }
}
