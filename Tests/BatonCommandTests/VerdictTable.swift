import Judge

/// Tables of what was done to a phone's home, and the judge's verdict on it. The suite has each kind of row once, by one of
/// the wallets; all of them with BATON_VERDICTS=FILE, to which the rows are appended.
enum VerdictTable {
  static let file = ProcessInfo.processInfo.environment["BATON_VERDICTS"]

  /// Exit codes as of `baton judge`.
  static func verdict(_ home: String) -> (code: Int32, words: String) {
    do {
      let verdict = try Judge.verdict(home: home)
      let words = verdict.findings.first.map(\.sentence) ?? verdict.missing.first.map(\.sentence) ?? ""
      return (verdict.exitCode, words)
    } catch { return (74, "\(error)") }
  }

  static func print(_ wallet: String, _ row: String, _ verdict: (code: Int32, words: String)) {
    guard let file else { return }
    let name = [0: "sound", 2: "broken", 74: "no verdict"][verdict.code] ?? "\(verdict.code)"
    let line = "| \(wallet) | \(row) | \(name) | \(verdict.words.prefix(160)) |\n"
    if !FileManager.default.fileExists(atPath: file) {
      _ = FileManager.default.createFile(atPath: file, contents: nil)
    }
    guard let handle = FileHandle(forWritingAtPath: file) else { return }
    handle.seekToEndOfFile()
    handle.write(Data(line.utf8))
    try? handle.close()
  }
}
