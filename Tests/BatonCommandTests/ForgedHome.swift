import Platform

/// A copy of a phone's home that is down, to be edited by hand.
struct ForgedHome {
  let path: String

  /// By a program of its own, as a killed process leaves sockets, which Foundation cannot copy.
  init(copying home: String, to path: String, _ scratch: TemporaryDirectory) throws {
    self.path = path
    _ = try scratch.start("/bin/cp", ["-a", home, path]).end()
  }

  func wallet(_ statements: String...) throws { try edit("AppGroup/node.sqlite", statements) }
  func ledger(_ statements: String...) throws { try edit("lsp/ledger.sqlite", statements) }

  private func edit(_ file: String, _ statements: [String]) throws {
    let database = try Connection(path: "\(path)/\(file)", access: .readWrite)
    let freely =
      ["PRAGMA foreign_keys = OFF"]
      + ["changed", "removed"].map { "DROP TRIGGER IF EXISTS claims_are_never_\($0)" }
    for statement in freely { try database.execute(statement) }
    for statement in statements {
      let before = try Self.changes(database)
      try database.execute(statement)
      if statement.contains("UPDATE") || statement.contains("DELETE") || statement.contains("INSERT") {
        #expect(try Self.changes(database) > before, "without effect: \(statement)")
      }
    }
  }

  private static func changes(_ database: Connection) throws -> Int64 {
    try database.firstRow("SELECT total_changes()")?.integer(0) ?? 0
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

  /// Takes this part from another home.
  func replace(_ name: String, from other: String) throws {
    try remove(name)
    try FileManager.default.copyItem(atPath: "\(other)/\(name)", toPath: "\(path)/\(name)")
  }

  func rows(_ name: String, _ change: ([String]) throws -> [String]) throws {
    let file = "\(path)/\(name)"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { String($0) }
    let changed = try change(lines)
    #expect(changed != lines, "an edit of \(name) without effect")
    try changed.map { $0 + "\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// The longest journal of a program that has ended in order: one of a killed process may end anywhere.
  func journal(_ program: String) throws -> String {
    let ended = try journals(program).filter {
      try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8).split(separator: "\n").last?.contains(
        #""kind":"end""#) ?? false
    }
    let sizes = try ended.map { name in
      (name, try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0)
    }
    return try #require(sizes.max { $0.1 < $1.1 }?.0, "there is no journal of \(program)")
  }

  /// All of them, if the program has no name.
  func journals(_ program: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/journal").filter {
      program.isEmpty || $0.contains("-\(program)-")
    }.sorted().map { "journal/\($0)" }
  }

  /// Removes the lines that contain a text, and numbers the others again; `isSummed`: their checksums too.
  func cutLine(_ program: String, with text: String, isSummed: Bool = false) throws {
    try rows(try journal(program)) { lines in
      let cut = try #require(lines.lastIndex { $0.contains(text) }, "no line with \(text)")
      var kept: [String] = []
      var sum: UInt64?
      for (place, line) in lines.enumerated() where place != cut {
        var line = line
        line.replace(#/^\{"seq":\d+/#, with: "{\"seq\":\(kept.count + 1)")
        if isSummed, let sum {
          let digits = String(sum, radix: 16)
          let padded = String(repeating: "0", count: 16 - digits.count) + digits
          line.replace(#/"after":"[0-9a-f]{16}"/#, with: "\"after\":\"\(padded)\"", maxReplacements: 1)
        }
        sum = line.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        kept.append(line)
      }
      return kept
    }
  }
}
