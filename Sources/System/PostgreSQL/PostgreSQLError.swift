/// Why a database of PostgreSQL cannot be used.
public enum PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The program was built without libpq.
  case leftOut
  case badURL
  /// It would stand in the list of processes and in the journal.
  case passwordInURL
  case cannotConnect(String)
  /// The server or the network ended the connection: of a commit under way the outcome is unknown.
  case connectionLost(String)
  /// The server's answer to a statement, with its SQLSTATE.
  case refused(state: String, String)
  case unfit(String)

  public var description: String {
    switch self {
    case .leftOut:
      "this program was built without PostgreSQL: install libpq (`scripts/setup libpq-dev`) and build it again, or leave the ledger to SQLite"
    case .badURL:
      "the ledger's URL is not a PostgreSQL URL; write postgresql://USER@HOST/DATABASE, or postgresql:///DATABASE?host=DIRECTORY for a socket"
    case .passwordInURL:
      "the ledger's URL has a password, which others would see in the list of processes: put it into ~/.pgpass, and leave it out of the URL"
    case .cannotConnect(let words):
      "the ledger's database cannot be reached (\(words)): start its server, or give the right URL"
    case .connectionLost(let words):
      "the connection to the ledger's database was lost (\(words)): start again when the server answers; what was acknowledged is stored"
    case .refused(let state, let words):
      "the ledger's database refused a statement (\(words), SQLSTATE \(state)); see the server's log"
    case .unfit(let words): "the ledger's database cannot be used: \(words)"
    }
  }

  /// The command line or the build is at fault, not a server.
  public var isOfOptions: Bool {
    switch self {
    case .leftOut, .badURL, .passwordInURL, .unfit: true
    case .cannotConnect, .connectionLost, .refused: false
    }
  }
}
