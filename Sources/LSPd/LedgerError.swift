/// A ledger that this program cannot go on from.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)
  case otherWallet

  var description: String {
    switch self {
    case .unreadable(let what):
      "The ledger is damaged (\(what)): put back a good copy, or start with an empty lsp directory."
    case .otherWallet:
      "The ledger's channel is with another node than --wallet names: leave the option out, or start with an empty lsp directory."
    }
  }
}
