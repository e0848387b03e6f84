/// Why lspd cannot use a ledger.
enum LedgerError: Error, CustomStringConvertible {
  case unreadable(String)
  case tooManyBoots(Int)
  case otherWallet
  /// Another lspd has ended this one's leases.
  case fenced
  case otherMachine(home: String)
  case otherKey(String)
  case hasFile(String)
  case otherDatabase(String)
  case badPlace(String)

  var description: String {
    switch self {
    case .unreadable(let what):
      "the ledger is damaged (\(what)): keep it, as only it has the LSP's side of the channel; to go on without it, begin a new phone with --home"
    case .tooManyBoots(let count):
      "the machine has booted \(count) times since this phone was made, and the ledger's times have no room for one more: begin a new phone with --home"
    case .otherWallet:
      "the ledger's channel is with another node than --wallet names: omit the option, or begin a new phone with --home"
    case .fenced:
      "this lspd did not beat for 5 s, so others of its database serve its wallets now, and it has written nothing since: start it again"
    case .otherMachine(let home):
      "the lspd of \(home) serves this database from another machine, whose clock is another: stop it, or run them all on one machine"
    case .otherKey(let path):
      "the key of the database's LSP is not in \(path): name the file that has it with --node-key"
    case .hasFile(let path):
      "this directory has its ledger in \(path), which has its wallets' channels: leave --ledger out, or name another --home"
    case .badPlace(let path):
      "\(path) names no database of PostgreSQL: write the URL of this directory's ledger into its first line"
    case .otherDatabase(let url):
      "this directory has its ledger in \(url), and the given database does not know it: leave --ledger out, or name another --home"
    }
  }

  /// The command line is at fault, not a file.
  var isOfOptions: Bool {
    switch self {
    case .unreadable, .tooManyBoots, .otherWallet, .fenced, .badPlace: false
    case .otherMachine, .otherKey, .hasFile, .otherDatabase: true
    }
  }
}
