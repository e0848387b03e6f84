import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// A damaged store is no reason to lose the next payments: it is set aside for whoever looks into it, and a new one
// begins. Only the extension does this, which is one process: two that set aside at once could lose a new store.
extension IncomingStore {
  /// The oldest damaged stores stay, and the newest.
  static let setAsideLimit = 3

  /// Returns what is damaged; nil if nothing is. A busy store, and one of a newer program, is no damage.
  static func damage(in body: () throws -> Void) throws -> DatabaseError? {
    do {
      try body()
      return nil
    } catch let error as DatabaseError where error.isDamage { return error }
  }

  /// A row that reads well can have a damaged neighbour, which only the app would find. The store is small.
  static func check(_ database: Connection) throws {
    let words = try database.firstRow("PRAGMA integrity_check(1)")?.text(0) ?? "it cannot be checked"
    guard words == "ok" else { throw DatabaseError(kind: .corrupt, database: database.path, words: words) }
  }

  /// Returns the sentence for the journal.
  func setAside(because damage: DatabaseError) throws(IncomingStoreError) -> String {
    let names = (1...Self.setAsideLimit).map { "\(path).damaged-\($0)" }
    let name = names.first { access($0, F_OK) != 0 } ?? names[Self.setAsideLimit - 1]
    // The log first: beside a new database it would be taken for that one's.
    for suffix in ["-wal", "-shm", ""] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
      throw .failed(
        "\(path) is damaged, and cannot be set aside (\(String(cString: strerror(errno)))); check its directory"
      )
    }
    return "\(damage.database) was damaged (\(damage.words)): it is now \(name), and a new one begins"
  }
}

extension DatabaseError {
  fileprivate var isDamage: Bool {
    switch kind {
    case .corrupt, .notADatabase, .lacksAPart: true
    default: false
    }
  }
}
