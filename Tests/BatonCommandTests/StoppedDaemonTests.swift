import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

/// The kernel accepts connections for a stopped process, which never answers.
@Suite("A stopped daemon", .waits) struct StoppedDaemonTests {
  private let scratch = Scratch()

  private func run(_ verb: String...) throws -> String { try run(verb) }

  private func run(_ verb: [String]) throws -> String {
    _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    return scratch.text("said")
  }

  @Test
  func `status, ps, up and requests report a stopped daemon at once, with the command that resumes it`()
    throws
  {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up")
    let lspd = try #require(DaemonProbe.pid(listeningOn: scratch("phone/lsp/lspd.sock")))
    let iosd = try #require(DaemonProbe.pid(listeningOn: scratch("phone/os/iosd.sock")))
    // If the test fails, no stopped process is left behind.
    defer { for pid in [lspd, iosd] { kill(pid, SIGCONT) } }

    let invoice = try run("invoice", "5", "--external").trimmingCharacters(in: .whitespacesAndNewlines)
    kill(lspd, SIGSTOP)
    let sentence = "lspd \(lspd) is stopped (SIGSTOP or a debugger); `baton thaw lspd` continues it"
    #expect(try run("status").contains(sentence))
    #expect(try run("status", "--json").contains(#""lspd_running":true,"lspd_trouble":"\#(sentence)""#))
    #expect(
      try run("payments")
        == "no payment was received or sent\nthe payments at the peer are unknown: \(sentence)\n")
    #expect(try run("ps").contains(try Regex("lspd +\(lspd) +stopped .*\\n *iosd +\(iosd) +running ")))

    #expect(try run("up") == "baton: \(sentence)\n")
    #expect(try run("invoice", "5", "--external") == "baton: \(sentence)\n")
    #expect(try run("pay", invoice) == "baton: \(sentence)\n")

    #expect(try run("app", "open").contains("in front"))
    kill(iosd, SIGSTOP)
    #expect(try run("status").contains("iosd \(iosd) is stopped"))
    for verb in [["invoice", "5"], ["app", "home"], ["device"], ["push", "--silent"]] {
      #expect(try run(verb).hasPrefix("baton: iosd \(iosd) is stopped"))
    }
    // iosd's ledger has the wallet's processes.
    #expect(
      try run("ps").contains(
        try Regex("iosd +\(iosd) +stopped .*\\n *mainappd +\\d+ +running .*opened by the user")))

    for pid in [lspd, iosd] { kill(pid, SIGCONT) }
    #expect(try run("status").contains("127.0.0.1:"))
  }
}
