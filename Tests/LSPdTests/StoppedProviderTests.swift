/// An lspd that is stopped, as by a debugger or by chaos.
@Suite("A stopped lspd", .serialized, .waits) struct StoppedProviderTests {
  private func notes(_ provider: ProviderProcess) throws -> [[String: Any]] {
    let directory = "\(provider.home)/journal"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return try names.flatMap { name in
      try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8).split(separator: "\n").compactMap {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }.filter { $0["late_since"] != nil }
  }

  @Test func `An lspd that was stopped while a hold ended has in its journal since when it was late`() throws
  {
    let provider = try ProviderProcess()
    expect(try provider.pay(1, hold: 1, waiting: false).receive()["state"], is: "held")
    provider.signal(SIGSTOP)
    guard case .integer(let dueNs)? = try provider.ledger("SELECT hold_until_ns FROM payments").first else {
      Issue.record("no payment")
      return
    }
    #expect(try provider.eventually { Clock.monotonicNow.nanoseconds > dueNs + 1_100_000_000 })
    #expect(try notes(provider).isEmpty)
    provider.signal(SIGCONT)
    #expect(
      try provider.eventually { try provider.ledger("SELECT state FROM payments") == [.text("failed")] })
    // The journal is written at the end of the turn.
    #expect(try provider.eventually { try !notes(provider).isEmpty })
    let note = try #require(try notes(provider).first)
    let since = try #require(note["late_since"] as? Int64)
    let at = try #require(note["t"] as? Int64)
    #expect(since <= dueNs && at > dueNs + 1_000_000_000)
    #expect((note["text"] as? String)?.hasPrefix("late by ") == true)
  }
}
