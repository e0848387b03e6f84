/// A ledger that this program cannot go on from.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)

  var description: String {
    switch self {
    case .unreadable(let what):
      "The ledger is damaged (\(what)): put back a good copy, or start with an empty lsp directory."
    }
  }
}
