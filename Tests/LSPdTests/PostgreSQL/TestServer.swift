import Foundation
import Glibc
import PhoneClient
import PostgreSQL
import Testing

/// A server of PostgreSQL in a directory of its own, on a Unix socket alone. It ends with this process, however that
/// ends: a shell beside it waits for the end of its input.
final class TestServer: @unchecked Sendable {
  /// One for all tests of the process.
  static let shared = Result { try TestServer() }

  /// Nil: no server is installed, or this program has no libpq.
  static let programs: String? = {
    guard PostgreSQLConnection.isBuilt else { return nil }
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    return versions.sorted().map { "\(root)/\($0)/bin" }.last {
      access("\($0)/postgres", X_OK) == 0 && access("\($0)/initdb", X_OK) == 0
    }
  }()

  static let missing: Comment =
    "skipped: no server of PostgreSQL, which `scripts/setup libpq-dev postgresql` installs"

  let directory: String
  private let shell = Process()
  private let input = Pipe()
  private let lock = NSLock()
  private var databases = 0

  init() throws {
    let programs = try #require(Self.programs)
    directory =
      FileManager.default.temporaryDirectory.appending(path: "baton-pg-\(UUID().uuidString.prefix(8))")
      .path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    // The server refuses to run as root.
    let user = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    if getuid() == 0 { chown(directory, 65534, 65534) }
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c",
      """
      cd "$1" && \(user) "$2/initdb" -D data -A trust -U baton -E UTF8 --locale=C >log 2>&1 &&
      \(user) "$2/pg_ctl" -w -D data -l data/server.log -o "-k '$1' -h ''" start >>log 2>&1 </dev/null && echo ready
      cat >/dev/null
      \(user) "$2/pg_ctl" -D data -m immediate stop >>log 2>&1
      rm -rf "$1"
      """, "sh", directory, programs,
    ]
    let output = Pipe()
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    let said = output.fileHandleForReading.availableData
    try #require(said.starts(with: "ready".utf8), "the test's server of PostgreSQL did not start")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  /// A new, empty database.
  func newDatabase() throws -> String {
    let number = lock.withLock {
      databases += 1
      return databases
    }
    try PostgreSQLConnection(url: url(of: "postgres"), application: "test").execute(
      "CREATE DATABASE ledger\(number)", [])
    return url(of: "ledger\(number)")
  }

  private func url(of database: String) -> String { "postgresql://baton@/\(database)?host=\(directory)" }

  /// As a power cut of its machine: no process of it does anything more.
  func crash() throws {
    let text = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
    let postmaster = try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
    let children =
      try String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
      .split(separator: " ").compactMap { pid_t($0) }
    let all = [postmaster] + children
    for process in all { kill(process, SIGKILL) }
    try Wait.until("the server's end") { all.allSatisfy(Self.hasEnded) }
    // A new server takes a number that nobody has waited for as that of a running one.
    for lock in ["data/postmaster.pid", ".s.PGSQL.5432.lock"] { unlink("\(directory)/\(lock)") }
  }

  private static func hasEnded(_ process: pid_t) -> Bool {
    guard let facts = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return facts.contains(") Z ")
  }

  func restart() throws {
    let programs = try #require(Self.programs)
    let start = Process()
    start.executableURL = URL(fileURLWithPath: "/bin/sh")
    let user = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    start.arguments = [
      "-c",
      """
      cd "$1" && \(user) "$2/pg_ctl" -w -D data -l data/server.log -o "-k '$1' -h ''" start >>log 2>&1 </dev/null
      """, "sh", directory, programs,
    ]
    try start.run()
    start.waitUntilExit()
    let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    try #require(start.terminationStatus == 0, "\(log)")
  }
}
