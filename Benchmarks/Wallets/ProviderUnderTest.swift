import Crypto
import DaemonRuntime
import Foundation
import Glibc
import Ground
import PeerTransport
import Reports

/// A real lspd in a directory of its own, seen from outside.
final class ProviderUnderTest {
  let home: String
  private let child: ChildProcess
  private var control: ControlClient?

  private let ledger: String?

  /// `ledger`: a URL of PostgreSQL; nil for lspd's own file.
  init(_ program: String, wallets: Int, home: String, ledger: String?) throws {
    self.home = home
    self.ledger = ledger
    child = try ChildProcess.start(
      program,
      arguments: [
        "--home", home, "--wallets", "--wallets-max", "\(max(wallets, 2))", "--keep-wallets", "0s",
        "--hold-seconds", "3600", "--ping-after", "0s",
      ] + (ledger.map { ["--ledger", $0] } ?? []), boot: Clock().boot, options: ChildProcess.Options())
    close(child.channel)
  }

  func end() {
    kill(child.identity.pid, SIGTERM)
    _ = ChildEnd.reap(child.identity.pid)
    close(child.pidfd)
  }

  var address: PeerAddress? { PeerAddress(file: "\(home)/lsp/address") }

  private func connected() throws -> ControlClient {
    if let control { return control }
    let new = try ControlClient(path: "\(home)/lsp/lspd.sock", daemon: "lspd")
    control = new
    return new
  }

  func ask(_ message: ControlMessage) throws -> ControlMessage { try connected().request(message) }

  func status() throws -> PeerFacts {
    guard let facts = PeerFacts(json: try ask(ControlMessage("status")).body) else {
      throw BenchError("lspd answered `status` without JSON")
    }
    return facts
  }

  /// Where the pushes of the wallet go.
  func register(_ node: PublicKey, at socket: String) throws {
    _ = try ask(ControlMessage("wallet", ["node": node.hex, "phone-socket": socket]))
  }

  func pay(_ hash: Bytes32, to node: PublicKey) throws {
    try beginToPay(hash, to: node)
    try endToPay()
  }

  func beginToPay(_ hash: Bytes32, to node: PublicKey) throws {
    try connected().send(
      ControlMessage(
        "pay", ["payment-hash": hash.hex, "amount-msat": "1000", "payee": node.hex, "wait": "no"]))
  }

  func endToPay() throws {
    let answer = try connected().receive()
    guard answer["state"] != "failed" else {
      throw BenchError("a payment failed: \(answer["reason"] ?? "?")")
    }
  }

  /// Pages that lspd has written, with those that are swapped out.
  var anonymousBytes: Int {
    let lines = SmallFile.read("/proc/\(child.identity.pid)/status", limit: 8192) ?? []
    return String(decoding: lines, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count >= 2, words[0] == "RssAnon:" || words[0] == "VmSwap:" else { return sum }
      return sum + (Int(words[1]) ?? 0) * 1024
    }
  }

  /// Of PostgreSQL by its own program, as no other process may open a live file of it.
  func ledgerBytes() throws -> Int {
    guard let ledger else { return size("lsp/ledger.sqlite") }
    let psql = Process()
    psql.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    psql.arguments = ["psql", ledger, "-Atc", "SELECT pg_database_size(current_database())"]
    let output = Pipe()
    psql.standardOutput = output
    try psql.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    psql.waitUntilExit()
    guard psql.terminationStatus == 0, let bytes = Int(text.split(separator: "\n").first ?? "") else {
      throw BenchError("psql did not say the size of the ledger")
    }
    return bytes
  }

  private func size(_ name: String) -> Int {
    var facts = stat()
    return stat("\(home)/\(name)", &facts) == 0 ? Int(facts.st_size) : 0
  }
}
