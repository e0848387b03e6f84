import Foundation
import Testing

@testable import Judge
@testable import TestHomes

/// The sample's payments 1 and 2 are paid, 3 is offered, 4 has failed.
@Suite("The judge and what senders have told their users") struct ToldTests {
  private static let node = WireBytes.hex(SampleRun.node)
  private static let stranger = "03" + String(repeating: "22", count: 32)

  private static func attempt(_ number: Int) -> String { String(repeating: "0\(number)", count: 32) }

  private static func line(
    _ told: String, _ payment: Int, attempts: [Int], isInParts: Bool = false, to payee: String = node,
    atNs: Int64 = 1
  ) -> String {
    let ids = attempts.map { "\"\(attempt($0))\"" }.joined(separator: ",")
    return
      "{\"at_ns\":\(atNs),\"at_wall_ns\":1,\"payment_hash\":\"\(WireBytes.hex(SampleStory.hashes[payment - 1]))\","
      + "\"payee\":\"\(payee)\",\"amount_msat\":1000,\"told\":\"\(told)\",\"attempts\":[\(ids)]"
      + "\(isInParts ? ",\"in_parts\":true" : "")}\n"
  }

  /// After all that the ledger has.
  private static func late(_ run: SampleRun) -> Int64 { run.now + 1 }

  private func findings(_ lines: (SampleRun) -> String, sql: String = "") throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(
      """
      ALTER TABLE payments ADD COLUMN attempt_id BLOB;
      \((1...4).map { "UPDATE payments SET attempt_id = x'\(Self.attempt($0))' WHERE id = \($0);" }.joined())
      \(sql)
      """)
    try lines(run).write(toFile: "\(run.home)/lsp/senders.jsonl", atomically: false, encoding: .utf8)
    return try Judge.verdict(home: run.home).findings.map(\.sentence)
  }

  @Test func `What is in the ledger too is no finding`() throws {
    let found = try findings { run in
      (1...2).map { Self.line("settled", $0, attempts: [$0]) }.joined()
        + Self.line("pending", 1, attempts: [1]) + Self.line("held", 3, attempts: [3])
        + Self.line("offered", 3, attempts: [3]) + Self.line("pending", 3, attempts: [3])
        + Self.line("failed", 4, attempts: [4], atNs: Self.late(run))
        + Self.line("not-sent", 4, attempts: [4], atNs: Self.late(run))
        // Nothing arrived.
        + Self.line("failed", 1, attempts: [7]) + Self.line("failed", 1, attempts: [])
    }
    #expect(found == [])
  }

  @Test(arguments: ["failed", "not-sent"])
  func `A payment that was called failed, or not sent, and is paid violates invariant 3`(told: String) throws
  {
    #expect(
      try findings { _ in Self.line(told, 2, attempts: [2]) }.first?.contains(
        "and payment 2, an attempt of it, is paid") == true)
    #expect(try findings { Self.line(told, 2, attempts: [2], atNs: Self.late($0)) }.count == 1)
    // Settled later.
    #expect(try findings { Self.line(told, 4, attempts: [4], atNs: Self.late($0)) } == [])
    let later = try findings(
      { Self.line(told, 4, attempts: [4], atNs: Self.late($0)) },
      sql: "UPDATE payments SET state = 'paid' WHERE id = 4;")
    #expect(later.contains { $0.contains("and payment 4, an attempt of it, is paid") })
  }

  @Test func `A payment that was called settled, and of which no attempt is paid, violates invariant 3`()
    throws
  {
    for line in [
      Self.line("settled", 3, attempts: [3]), Self.line("settled", 4, attempts: [4]),
      Self.line("settled", 1, attempts: [7]), Self.line("settled", 1, attempts: []),
      // Another sender's is.
      Self.line("settled", 1, attempts: [2]),
    ] {
      let found = try findings { _ in line }
      #expect(found.count == 1 && found[0].contains("the peer has paid for none of its attempts"), "\(line)")
    }
  }

  @Test func `A failure that was told while an attempt was under way violates invariant 3`() throws {
    let sentence = "has failed, while payment 3, an attempt of it, was under way"
    #expect(
      try findings { Self.line("failed", 3, attempts: [3], atNs: Self.late($0)) }.first?.contains(sentence)
        == true)
    // Before payment 4 had failed.
    #expect(try findings { _ in Self.line("failed", 4, attempts: [4]) }.count == 1)
    // The other parts of a payment come back later.
    #expect(try findings { _ in Self.line("failed", 3, attempts: [3, 9], isInParts: true) } == [])
  }

  @Test func `What another node was to be paid is not judged by this wallet's rows`() throws {
    #expect(try findings { _ in Self.line("settled", 4, attempts: [4], to: Self.stranger) } == [])
  }

  @Test func `A line that a kill has cut is no finding, and with other foreign lines there is no verdict`()
    throws
  {
    let run = try SampleStory.tell()
    let path = "\(run.home)/lsp/senders.jsonl"
    try "{\"at_ns\":1,\"to".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try !Judge.verdict(home: run.home).remarks.contains { $0.contains("senders.jsonl") })
    try
      (Self.line("maybe", 1, attempts: []) + "noise\n"
      + Self.line("settled", 1, attempts: [1]).replacing("01", with: "x"))
      .write(toFile: path, atomically: false, encoding: .utf8)
    let verdict = try Judge.verdict(home: run.home)
    #expect(
      verdict.exitCode == 74 && verdict.missing.contains { $0.sentence.contains("senders.jsonl has lines") })
  }
}
