import CSQLite
import DaemonRuntime
import Glibc

// What keeps a test process from being suspended well.
extension TestChild {
  private var container: String? {
    let words = CommandLine.arguments
    guard let place = words.firstIndex(of: "--container"), place + 1 < words.count else { return nil }
    return words[place + 1]
  }

  /// A role lock, until the descriptor is closed.
  @discardableResult
  func takeLock(_ role: String) -> Int32 {
    guard let container else { return -1 }
    let directory = "\(container)/locks"
    mkdir(container, 0o700)
    mkdir(directory, 0o700)
    let lock = open("\(directory)/\(role).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    flock(lock, LOCK_EX | LOCK_NB)
    return lock
  }

  /// A connection to a database of its own, which stays open. A name with `unfinished` steps its SELECT only once.
  func readDatabase(inWALMode: Bool) {
    guard let container else { return }
    mkdir(container, 0o700)
    let idle = connection("\(container)/other.sqlite")
    run("PRAGMA journal_mode=\(inWALMode ? "WAL" : "DELETE")", on: idle)
    run("CREATE TABLE IF NOT EXISTS rows (x); INSERT INTO rows VALUES (1), (2)", on: idle)
    guard behaviour.contains("unfinished") else { return }
    var statement: OpaquePointer?
    let database = connection("\(container)/other.sqlite")
    guard sqlite3_prepare_v2(database, "SELECT x FROM rows", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { fatalError(String(cString: sqlite3_errmsg(database))) }
  }

  private func connection(_ path: String) -> OpaquePointer? {
    var database: OpaquePointer?
    guard sqlite3_open(path, &database) == SQLITE_OK else { fatalError("cannot open \(path)") }
    return database
  }

  private func run(_ sql: String, on database: OpaquePointer?) {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      fatalError(String(cString: sqlite3_errmsg(database)))
    }
  }

  /// One more than the phone lets run at once.
  func beginActivity() {
    for id in 1...65 { say("activity-begin", ["id": "\(id)"]) }
  }
}
