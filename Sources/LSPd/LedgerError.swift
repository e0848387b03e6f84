/// A ledger that this program cannot go on from.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)
  case otherWallet

  var description: String {
    switch self {
    case .unreadable(let what):
      "the ledger is damaged (\(what)): keep it, as the provider's side of the channel is in it alone; for another run begin a new phone with --home"
    case .otherWallet:
      "the ledger's channel is with another node than --wallet names: leave the option out, or begin a new phone with --home"
    }
  }
}
