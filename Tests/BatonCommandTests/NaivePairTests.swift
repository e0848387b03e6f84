import Platform

@testable import Baton

/// docs/examples/naive-app.py and naive-extension.py, which have a channel each in their memory and no guardrails.
@Suite(
  "A pair without guardrails", .serialized,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs /usr/bin/python3"),
  .waits)
struct NaivePairTests {
  private static let examples = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples").path

  /// How often the peer found a side's channel state outdated.
  private func losses(_ phone: CommandPhone) throws -> Int64 {
    let ledger = try Connection(
      path: "\(phone.phone.lsp)/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    return try #require(try ledger.firstRow("SELECT count(*) FROM losses WHERE whose = 'wallet'")).integer(0)
  }

  @Test(.shows("P-0.4"), arguments: [false, true])
  func
    `An app that goes on from its memory after its extension received loses the channel, the wallet's does not`(
      isNaive: Bool
    ) throws
  {
    let phone = CommandPhone()
    let programs = ["--app", "\(Self.examples)/naive-app.py", "--ext", "\(Self.examples)/naive-extension.py"]
    _ = try phone.run(["up", "--peer", "legacy"] + (isNaive ? programs : []))
    try phone.openAndConnect()
    if isNaive {
      let refused = try phone.begin("invoice", into: "refused")
      #expect(refused.end() != .exited(code: 0))
      #expect(phone.scratch.text("refused").contains("this app makes only invoices with an amount"))
    }
    let invoice = try phone.invoice()
    _ = try phone.run("app", "home")
    try phone.waitUntilAway()
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
    _ = try phone.run("app", "open")
    guard isNaive else {
      try Wait.until("the app to be connected") { try phone.run("status").contains(": connected\n") }
      expect(try losses(phone), is: 0)
      return #expect(try phone.run("judge").contains("Verdict: sound."))
    }
    try Wait.until("the peer to find the app's state outdated") { try losses(phone) > 0 }
    let verdict = try phone.begin("judge", "--without", "journals", into: "verdict")
    expect(verdict.end(), is: .exited(code: 2))
    let said = phone.scratch.text("verdict")
    #expect(said.contains("the state of the wallet was behind the peer's"), "\(said)")
  }
}
