import Wallet

/// Why the wallet's seed cannot be used.
enum KeychainError: Error, Hashable, CustomStringConvertible {
  case missing(String)
  case wrongSize(String, Int64)
  case noNodeKey(String)
  case another(String)
  case withheld(String)
  case phoneGone(String)

  var description: String {
    switch self {
    case .missing(let path):
      "\(path) is gone and the wallet is not new; put the seed back: without it neither the channel nor the peer's backup of it can be used"
    case .wrongSize(let path, let size):
      "\(path) has \(size) bytes and a seed has 32; put back the seed that the wallet was made with"
    case .noNodeKey(let path):
      "\(path) gives a number that is no key of a node; put back the seed that the wallet was made with: the channel and the peer's backup are of that one alone"
    case .withheld(let sentence): WalletTexts.seedWithheld(sentence)
    case .phoneGone(let why): "the phone cannot be asked for the wallet's seed: \(why)"
    case .another(let path):
      "\(path) is not the seed that this wallet's invoices were made with; put that one back"
    }
  }
}
