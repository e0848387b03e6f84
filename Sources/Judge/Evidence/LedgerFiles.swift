import Database
import Foundation
import PostgreSQL

/// Where a home's ledger is: its own file, or a database of PostgreSQL whose URL the peer has left there.
struct LedgerFiles {
  let path: String
  /// Of a database: its URL, and the number of the wallet of the home.
  private let url: String?
  let wallet: Int64?

  init(home: String) {
    let place = home + "/lsp/ledger-url"
    let lines = EvidenceFile.whole(place).map { String(decoding: $0.prefix(4096), as: UTF8.self) }?
      .split(separator: "\n")
    url = lines?.first.map { String($0) }
    wallet = lines?.dropFirst().first.flatMap { Int64($0) }
    path = url == nil ? home + "/lsp/ledger.sqlite" : place
  }

  var isThere: Bool { FileStamp(path) != nil }
  var isDatabase: Bool { url != nil }

  /// Copies the database as of one moment, which reads as a file of a peer does. Nil without one.
  func copy(into scratch: Scratch) throws(JudgeError) -> String? {
    guard let url else { return nil }
    let target = scratch.directory + "/ledger.sqlite"
    for suffix in ["", "-wal", "-shm"] { unlink(target + suffix) }
    do {
      try PostgreSQLConnection(url: url, application: "baton judge", for: .copying).copy(
        toScratch: try Connection(path: target, access: .create))
    } catch { throw .unreadable(path: path, reason: "\(error)") }
    return target
  }
}
