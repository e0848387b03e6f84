import Crypto
import Platform

@testable import Baton

/// One edit by hand of what a phone has left.
private struct Forgery {
  let name: String
  let edit: (ForgedHome) throws -> Void

  init(_ name: String, _ edit: @escaping (ForgedHome) throws -> Void) {
    (self.name, self.edit) = (name, edit)
  }
}

@Suite("Forged evidence", .waits) struct ForgeryTests {
  /// The home of a phone that is down, and of the same phone at an earlier time.
  private static func makeHome(_ wallet: String, _ phone: CommandPhone) throws {
    let home = phone.home
    _ = try phone.run("up", "--wallet", wallet)
    try phone.openAndConnect()
    for _ in 0..<2 { #expect(try phone.run("pay", phone.invoice()).contains("settled")) }
    _ = try phone.run("down")
    _ = try ForgedHome(copying: home, to: phone.scratch("earlier"), phone.scratch)
    _ = try phone.run("up")
    try phone.openAndConnect()
    let outside = try phone.run("invoice", "700", "--external").trimmingCharacters(
      in: .whitespacesAndNewlines)
    #expect(try phone.run("send", outside).contains("settled"))
    _ = try phone.run("lsp", "fail", "temporary_channel_failure")
    #expect(try phone.run("pay", phone.invoice(sat: 300)).contains("failed"))
    let invoices = try (0..<2).map { try phone.invoice(sat: 1000 + $0) }
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    // The extension receives it, or tells of it and the app does.
    let paying = try phone.begin("pay", invoices[0], into: "paid")
    try Wait.until("the user has been told") { try !phone.phone.notifications().isEmpty }
    _ = try phone.run("app", "open")
    _ = paying.end()
    #expect(phone.scratch.text("paid").contains("settled"), "\(phone.scratch.text("paid"))")
    try phone.openAndConnect()
    #expect(try phone.run("pay", invoices[1]).contains("settled"))
    _ = try phone.run("down")
  }

  @Test(arguments: ["phoenix", "bitkit"])
  func `No edit of a home by hand is sound, except that all of it is of an earlier time`(wallet: String)
    throws
  {
    let phone = CommandPhone()
    try Self.makeHome(wallet, phone)
    let base = VerdictTable.verdict(phone.home)
    VerdictTable.print(wallet, "(no edit)", base)
    expect(base.code, is: 0, "\(base)")
    for (place, forgery) in try Self.all(earlier: phone.scratch("earlier")).enumerated() {
      let isDrawn = place.isMultiple(of: 2) == (wallet == "phoenix")
      guard VerdictTable.file != nil || isDrawn else { continue }
      // The phone of a sanitized extension has no limit.
      if CommandPhone.isSanitized && forgery.name == Self.overLimit { continue }
      let copy = phone.scratch("forged")
      let forged = try ForgedHome(copying: phone.home, to: copy, phone.scratch)
      defer { try? FileManager.default.removeItem(atPath: copy) }
      try forgery.edit(forged)
      let verdict = VerdictTable.verdict(copy)
      VerdictTable.print(wallet, forgery.name, verdict)
      let isOfEarlierTime = forgery.name == Self.rollback
      #expect((verdict.code == 0) == isOfEarlierTime, "\(wallet), \(forgery.name): \(verdict)")
    }
  }

  private static let overLimit = "an extension used 60 MB"
  private static let rollback = "all of the home is of an earlier time"
  private static let parts = ["AppGroup", "Keychain", "journal", "lsp", "os"]

  // MARK: The table

  private static func all(earlier: String) throws -> [Forgery] {
    try rows() + journalLines + phoneRows + [
      Forgery(rollback) { home in for part in parts { try home.replace(part, from: earlier) } }
    ]
      + ["AppGroup", "journal", "lsp", "os"].map { part in
        Forgery("\(part) is of an earlier time") { try $0.replace(part, from: earlier) }
      }
  }

  /// Of rows and files, in Tests/Forgeries.
  private static func rows() throws -> [Forgery] {
    let file = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Forgeries/rows.txt")
    return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n== ").dropFirst().map {
      let lines = $0.split(separator: "\n").map(String.init)
      return Forgery(lines[0]) { home in
        for step in lines.dropFirst() {
          let words = step.split(separator: " ", maxSplits: 1).map(String.init)
          switch words[0] {
          case "wallet": try home.wallet(words[1])
          case "ledger": try home.ledger(words[1])
          case "both": try home.wallet("ATTACH '\(home.path)/lsp/ledger.sqlite' AS peer", words[1])
          case "remove": try home.remove(words[1])
          case "backup": try shortenBackup(home)
          default: Issue.record("no step of a forgery: \(step)")
          }
        }
      }
    }
  }

  /// To its hash.
  private static func shortenBackup(_ home: ForgedHome) throws {
    let database = try Connection(path: "\(home.path)/lsp/ledger.sqlite", access: .readOnly)
    let newest = "FROM backups ORDER BY revision DESC LIMIT 1"
    let blob = try #require(try database.firstRow("SELECT blob \(newest)")?.blob(0))
    let hash = SHA256.hash(blob).hex
    try home.ledger("UPDATE backups SET blob = x'\(hash)' WHERE revision = (SELECT revision \(newest))")
  }

  private static var journalLines: [Forgery] {
    let write = #""write":{"#
    return [
      Forgery("the app's journals are deleted") { home in
        for name in try home.journals("mainappd") { try home.remove(name) }
      },
      Forgery("the journals of lspd are deleted") { home in
        for name in try home.journals("lspd") { try home.remove(name) }
      },
      Forgery("the journals of iosd are deleted") { home in
        for name in try home.journals("iosd") { try home.remove(name) }
      },
      Forgery("all journals are reduced to their first lines") { home in
        for name in try home.journals("") { try home.rows(name) { Array($0.prefix(1)) } }
      },
      Forgery("a line of the app's journal is cut out") { home in
        try home.rows(try home.journal("mainappd")) { Array($0[..<10] + $0[11...]) }
      },
      Forgery("a line of the app's journal is cut out, and the others are numbered again") { home in
        try home.cutLine("mainappd", with: #""kind":"event""#)
      },
      Forgery("the line of a write is cut out, and the others are numbered and summed again") { home in
        try home.cutLine("mainappd", with: write, isSummed: true)
      },
      Forgery("the line of a claim is cut out, and the others are numbered and summed again") { home in
        try home.cutLine("mainappd", with: #"{"claim":"#, isSummed: true)
      },
      Forgery("the app's journal has no checksums and another time") { home in
        try home.rows(try home.journal("mainappd")) { lines in
          lines.map { $0.replacing(#/,"after":"[0-9a-f]{16}"/#, with: "") }.enumerated().map {
            $0 == 40 ? $1.replacing(#/"wall":\d/#, with: "\"wall\":9") : $1
          }
        }
      },
      Forgery("the app's journal ends after 20 lines") { home in
        try home.rows(try home.journal("mainappd")) { Array($0.prefix(20)) }
      },
      Forgery("the app's journal ends before its last line") { home in
        try home.rows(try home.journal("mainappd")) { Array($0.dropLast()) }
      },
      Forgery("iosd's journal ends after 20 lines") { home in
        try home.rows(try home.journal("iosd")) { Array($0.prefix(20)) }
      },
      Forgery("a line of the app's journal is changed") { home in
        try home.rows(try home.journal("mainappd")) { lines in
          var lines = lines
          lines[5].replace(#/"wall":1/#, with: "\"wall\":2")
          return lines
        }
      },
      Forgery("a line of the app's journal is no record") { home in
        try home.rows(try home.journal("mainappd")) { Array($0[..<5]) + ["x"] + Array($0[5...]) }
      },
      Forgery("the app's journal is of another process") { home in
        try home.rows(try home.journal("mainappd")) { lines in
          [lines[0].replacing(#/"start_time":/#, with: "\"start_time\":1")] + lines[1...]
        }
      },
      Forgery("a line is added to the app's journal") { home in
        try home.rows(try home.journal("mainappd")) { lines in
          lines + [#"{"seq":\#(lines.count + 1),"t":1,"wall":1,"kind":"note","text":"x"}"#]
        }
      },
    ]
  }

  private static var phoneRows: [Forgery] {
    func withoutNotification(_ name: String, _ more: @escaping (ForgedHome) throws -> Void = { _ in })
      -> Forgery
    {
      Forgery(name) { home in
        try home.rows("os/notifications.jsonl") { lines in
          Array(lines.prefix { !$0.contains(#""push":"#) })
        }
        try more(home)
      }
    }
    func push(_ old: Regex<Substring>, _ new: String) -> (ForgedHome) throws -> Void {
      { home in
        try home.rows("os/pushes.jsonl") { $0.map { $0.replacing(old, with: new) } }
      }
    }
    return [
      withoutNotification("the notifications are deleted"),
      withoutNotification("the notifications are deleted, as if their pushes were replaced") { home in
        try home.rows("os/pushes.jsonl") { lines in
          lines.map { line in
            line.contains("fate_code")
              ? line.replacing(#/"fate_code":"[a-z-]+"/#, with: #""fate_code":"replaced""#)
              : String(line.dropLast())
                + #","fate":"x","fate_code":"replaced","fate_wall_ns":1,"fate_at_ns":1}"#
          }
        }
      },
      withoutNotification(
        "the notifications are deleted, as if their pushes were silent",
        push(#/"visible":true/#, #""visible":false"#)),
      withoutNotification("the notifications are deleted, as if iosd had been killed") { home in
        try home.rows("os/pushes.jsonl") { lines in
          lines.map {
            String($0.dropLast()) + #","fate":"x","fate_code":"lost","fate_wall_ns":1,"fate_at_ns":1}"#
          }
        }
        for name in try home.journals("iosd") { try home.rows(name) { Array($0.dropLast()) } }
      },
      Forgery("a notification is there twice") { home in
        try home.rows("os/notifications.jsonl") { lines in
          let last = try #require(lines.last { $0.contains(#""push":"#) })
          let id = lines.count + 1
          return lines + [last.replacing(#/^\{"id":\d+/#, with: "{\"id\":\(id)")]
        }
      },
      Forgery("a push is deleted") { home in
        try home.rows("os/pushes.jsonl") { lines in lines.filter { !$0.hasPrefix(#"{"id":1,"#) } }
      },
      Forgery("the processes are deleted") { home in try home.rows("os/processes.jsonl") { _ in [] } },
      Forgery("the newest process is deleted") { home in
        try home.rows("os/processes.jsonl") { lines in
          let last = try #require(lines.last?.prefix { $0 != "," })
          return lines.filter { !$0.hasPrefix(last + ",") }
        }
      },
      Forgery(overLimit) { home in
        try home.rows("os/processes.jsonl") { lines in
          lines.map {
            $0.replacing(#/"peak_footprint_bytes":\d+/#, with: "\"peak_footprint_bytes\":62914560")
          }
        }
      },
      Forgery("the phone's directory is deleted") { try $0.remove("os") },
    ]
  }
}
