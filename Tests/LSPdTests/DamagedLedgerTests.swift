import Ground
import DaemonRuntime
import Database
import Foundation
import Glibc
import Testing

@Suite("lspd on a damaged ledger") struct DamagedLedgerTests {
  /// What lspd says when it cannot start, and its exit code.
  private func refusal(_ damage: (String) throws -> Void) throws -> (String, Int32) {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    let home = String(cString: mkdtemp(&template)!)
    defer { try? FileManager.default.removeItem(atPath: home) }
    mkdir("\(home)/lsp", 0o700)
    try damage("\(home)/lsp")
    return try words(["--home", home], home: home)
  }

  private func words(_ arguments: [String], home: String) throws -> (String, Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProviderProcess.binary)
    process.arguments = arguments
    let words = Pipe()
    process.standardError = words
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.replacingOccurrences(of: home, with: "HOME"), process.terminationStatus)
  }

  private func database(_ directory: String, _ sql: String) throws {
    try Connection(path: "\(directory)/ledger.sqlite", access: .create).script(sql)
  }

  @Test(
    "A ledger of noise, of the future, of another program or that is a directory is refused in one sentence")
  func refused() throws {
    let noise = try refusal { directory in
      let path = "\(directory)/ledger.sqlite"
      _ = FileManager.default.createFile(atPath: path, contents: Data(repeating: 0x5A, count: 9000))
    }
    #expect(
      noise.0
        == "lspd: HOME/lsp/ledger.sqlite is not an SQLite database (file is not a database); check the path\n"
    )
    let future = try refusal { try database($0, "PRAGMA user_version = 77") }
    #expect(future.0.contains("has schema 77, this program knows"))
    #expect(future.0.hasSuffix("update the program\n"))
    let foreign = try refusal { try database($0, "CREATE TABLE songs (title)") }
    #expect(
      foreign.0
        == "lspd: HOME/lsp/ledger.sqlite belongs to another program (it holds songs); check the path\n")
    let directory = try refusal { mkdir("\($0)/ledger.sqlite", 0o700) }
    #expect(
      directory.0.hasPrefix("lspd: HOME/lsp/ledger.sqlite cannot be opened (unable to open database file"))
    for (words, code) in [noise, future, foreign, directory] { #expect(code == 74, "\(words)") }
  }

  @Test("A plain file in the place of its socket is refused; a second lspd is, and the first stays reachable")
  func sockets() throws {
    let plain = try refusal { close(open("\($0)/lspd.sock", O_CREAT | O_WRONLY, 0o600)) }
    #expect(plain == ("lspd: HOME/lsp/lspd.sock exists and is not a socket; move it away\n", 73))
    let first = try ProviderProcess()
    let second = try words(["--home", first.home], home: first.home)
    #expect(second.0.hasPrefix("lspd: HOME/lsp/lspd.sock is in use by process "))
    #expect(second.1 == 73)
    _ = try first.client().request(ControlMessage("status"))
  }

  @Test(
    "The index of the ledger cut short under lspd: it ends with a sentence, and starts again with all it had")
  func cutIndex() throws {
    let provider = try ProviderProcess()
    _ = try provider.pay(1, waiting: false).receive(timeout: .seconds(20))
    truncate("\(provider.home)/lsp/ledger.sqlite-shm", 0)
    _ = try? provider.pay(2, waiting: false).receive(timeout: .seconds(20))
    let end = try #require(try provider.reapWhenEnded())
    #expect(end.how == .exited(code: 74))
    try provider.start()
    #expect(try provider.ledger("SELECT count(*) FROM payments") == [.integer(1)])
  }
}
