import DaemonRuntime
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
  private let shell: ChildProcess
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
    shell = try Self.run(
      """
      cd "$1" && \(user) "$2/initdb" -D data -A trust -U baton -E UTF8 --locale=C >log 2>&1 3<&- &&
      \(user) "$2/pg_ctl" -w -D data -l data/server.log -o "-k '$1' -h ''" start >>log 2>&1 </dev/null 3<&- &&
      echo ready >&3
      cat <&3 >/dev/null
      \(user) "$2/pg_ctl" -D data -m immediate stop >>log 2>&1 3<&-
      rm -rf "$1"
      """, [directory, programs])
    var said = [UInt8](repeating: 0, count: 16)
    let count = read(shell.channel, &said, said.count)
    try #require(count > 0, "the test's server of PostgreSQL did not start")
  }

  /// Descriptor 3 is the channel. No other descriptor of this process is open in the server.
  private static func run(_ script: String, _ arguments: [String]) throws -> ChildProcess {
    var options = ChildProcess.Options()
    options.diesWithParent = false
    options.stackBytes = -1
    return try ChildProcess.start(
      "/bin/sh", arguments: ["-c", script, "sh"] + arguments, boot: Clock().boot, options: options)
  }

  private static func end(_ child: ChildProcess) -> ChildEnd? {
    close(child.channel)
    defer { close(child.pidfd) }
    return ChildEnd.reap(child.identity.pid)
  }

  deinit { _ = Self.end(shell) }

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
    let user = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    let start = try Self.run(
      """
      cd "$1" && \(user) "$2/pg_ctl" -w -D data -l data/server.log -o "-k '$1' -h ''" start >>log 2>&1 </dev/null 3<&-
      """, [directory, programs])
    let end = Self.end(start)
    let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
    try #require(end?.how == .exited(code: 0), "\(log)")
  }
}
