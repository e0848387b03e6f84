import Crypto
import DaemonRuntime
import Glibc
import Ground
import PeerTransport
import Reports

/// A real lspd in a directory of its own, seen from outside.
final class ProviderUnderTest {
  let home: String
  private let child: ChildProcess
  private var control: ControlClient?

  init(_ program: String, wallets: Int, home: String) throws {
    self.home = home
    child = try ChildProcess.start(
      program,
      arguments: [
        "--home", home, "--wallets", "--wallets-max", "\(max(wallets, 2))", "--keep-wallets", "0s",
        "--hold-seconds", "3600", "--ping-after", "0s",
      ], boot: Clock().boot, options: ChildProcess.Options())
    close(child.channel)
  }

  func end() {
    kill(child.identity.pid, SIGTERM)
    _ = ChildEnd.reap(child.identity.pid)
    close(child.pidfd)
  }

  var address: PeerAddress? { PeerAddress(file: "\(home)/lsp/address") }

  func ask(_ message: ControlMessage) throws -> ControlMessage {
    if control == nil { control = try ControlClient(path: "\(home)/lsp/lspd.sock", daemon: "lspd") }
    guard let control else { throw BenchError("lspd does not answer") }
    return try control.request(message)
  }

  func status() throws -> PeerFacts {
    guard let facts = PeerFacts(json: try ask(ControlMessage("status")).body) else {
      throw BenchError("lspd answered `status` without JSON")
    }
    return facts
  }

  func pay(_ hash: Bytes32, to node: PublicKey) throws {
    let answer = try ask(
      ControlMessage(
        "pay", ["payment-hash": hash.hex, "amount-msat": "1000", "payee": node.hex, "wait": "no"]))
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

  var ledgerBytes: Int { size("lsp/ledger.sqlite") + size("lsp/ledger.sqlite-wal") }

  private func size(_ name: String) -> Int {
    var facts = stat()
    return stat("\(home)/\(name)", &facts) == 0 ? Int(facts.st_size) : 0
  }
}
