/// Why lspd cannot use a ledger.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)
  case tooManyBoots(Int)
  case otherWallet

  var description: String {
    switch self {
    case .unreadable(let what):
      "the ledger is damaged (\(what)): keep it, as only it has the LSP's side of the channel; to go on without it, begin a new phone with --home"
    case .tooManyBoots(let count):
      "the machine has booted \(count) times since this phone was made, and the ledger's times have no room for one more: begin a new phone with --home"
    case .otherWallet:
      "the ledger's channel is with another node than --wallet names: omit the option, or begin a new phone with --home"
    }
  }
}
