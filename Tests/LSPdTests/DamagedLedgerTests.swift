@Suite("lspd on a damaged ledger") struct DamagedLedgerTests {
  /// lspd's error output and exit code when it cannot start.
  private func refusal(_ damage: (String) throws -> Void) throws -> (String, Int32) {
    let place = TemporaryDirectory()
    let home = place.path
    mkdir("\(home)/lsp", 0o700)
    try damage("\(home)/lsp")
    return try output(["--home", home], home: home)
  }

  private func output(_ arguments: [String], home: String) throws -> (String, Int32) {
    let ran = try Started.run("lspd", arguments)
    return (ran.errors.replacingOccurrences(of: home, with: "HOME"), ran.code)
  }

  private func database(_ directory: String, _ sql: String) throws {
    try Connection(path: "\(directory)/ledger.sqlite", access: .create).script(sql)
  }

  @Test func `lspd refuses a corrupt, newer or foreign ledger, or a directory in its place, in one sentence`()
    throws
  {
    let noise = try refusal { directory in
      let path = "\(directory)/ledger.sqlite"
      _ = FileManager.default.createFile(atPath: path, contents: Data(repeating: 0x5A, count: 9000))
    }
    expect(
      noise.0,
      is: "lspd: HOME/lsp/ledger.sqlite is not an SQLite database (file is not a database); check the path\n"
    )
    let future = try refusal { try database($0, "PRAGMA user_version = 77") }
    #expect(future.0.contains("has schema 77, this program knows"))
    #expect(future.0.hasSuffix("use the version of the program that wrote it\n"))
    let foreign = try refusal { try database($0, "CREATE TABLE songs (title)") }
    expect(
      foreign.0,
      is: "lspd: HOME/lsp/ledger.sqlite belongs to another program (it holds songs); check the path\n")
    let directory = try refusal { mkdir("\($0)/ledger.sqlite", 0o700) }
    #expect(
      directory.0.hasPrefix("lspd: HOME/lsp/ledger.sqlite cannot be opened (unable to open database file"))
    for (output, code) in [noise, future, foreign, directory] { expect(code, is: 74, "\(output)") }
  }

  @Test func `lspd makes no new ledger for a node whose ledger is gone`() throws {
    let provider = try ProviderProcess()
    provider.kill()
    for end in ["", "-wal", "-shm"] { unlink("\(provider.home)/lsp/ledger.sqlite\(end)") }
    for _ in 0..<2 {
      let said = try output(["--home", provider.home], home: provider.home)
      #expect(said.0.hasPrefix("lspd: HOME/lsp/ledger.sqlite is missing") && said.1 == 78, "\(said)")
    }
  }

  @Test
  func `A plain file at lspd's socket path and a second lspd are refused; the first lspd stays reachable`()
    throws
  {
    let plain = try refusal { close(open("\($0)/lspd.sock", O_CREAT | O_WRONLY, 0o600)) }
    #expect(plain == ("lspd: HOME/lsp/lspd.sock exists and is not a socket; move it away\n", 73))
    let first = try ProviderProcess()
    let second = try output(["--home", first.home], home: first.home)
    #expect(second.0.hasPrefix("lspd: HOME/lsp/lspd.sock is in use by process "))
    expect(second.1, is: 73)
    _ = try first.client().request(ControlMessage("status"))
  }

  @Test
  func `If SQLite's index is truncated, lspd ends with an error; started again, lspd still has the payment`()
    throws
  {
    let provider = try ProviderProcess()
    _ = try provider.pay(1, waiting: false).receive(timeout: .seconds(60))
    truncate("\(provider.home)/lsp/ledger.sqlite-shm", 0)
    _ = try? provider.pay(2, waiting: false).receive(timeout: .seconds(60))
    let end = try #require(try provider.reapWhenEnded())
    expect(end.how, is: .exited(code: 74))
    try provider.start()
    expect(try provider.ledger("SELECT count(*) FROM payments"), is: [.integer(1)])
  }
}
