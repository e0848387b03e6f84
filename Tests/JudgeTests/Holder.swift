import Foundation

/// Another process that has a database open, as a running daemon has: the kernel tells of locks by process.
final class Holder {
  private let process = Process()
  private let input = Pipe()

  init(_ database: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1])
      connection.execute("PRAGMA journal_mode = WAL")
      connection.execute("SELECT count(*) FROM claims").fetchall()
      print("open", flush=True)
      sys.stdin.read()
      """, database,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
