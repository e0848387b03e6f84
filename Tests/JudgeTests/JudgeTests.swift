import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("The judge")
struct JudgeTests {
  @Test
  func `The judge finds nothing in a sound run and counts payments, claims, connections and kills`() throws {
    let run = try SampleStory.tell()
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.findings == [])
    #expect(verdict.exitCode == 0)
    #expect(verdict.counts.payments == 4)
    #expect(verdict.counts.paid == 2)
    #expect(verdict.counts.failed == 1)
    #expect(verdict.counts.connections == 4)
    #expect(verdict.counts.refused == 1)
    #expect(verdict.counts.appClaims == 2)
    #expect(verdict.counts.extensionClaims == 1)
    #expect(verdict.counts.kills == 1)
    #expect(verdict.unsettled.count == 1)
    #expect(verdict.text.hasSuffix("Verdict: sound.\n"))
  }

  @Test
  func `If all payments had to be settled, the judge reports a pending one as invariant 6, exit code 3`()
    throws
  {
    let run = try SampleStory.tell()
    let verdict = try Judge.verdict(home: run.home, requireSettled: true)
    #expect(verdict.findings.map(\.invariant.rawValue) == [6])
    #expect(verdict.exitCode == 3)
  }

  @Test
  func `The judge accepts a phone without payments and reports 0 payments`() throws {
    let run = try SampleStory.tellWithoutPayments()
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.findings == [])
    #expect(verdict.text.contains("0 payments"))
  }

  @Test
  func `The judge gives no verdict without the wallet's database`() throws {
    let run = try SampleStory.tell()
    try FileManager.default.removeItem(atPath: "\(run.home)/AppGroup/node.sqlite")
    #expect(throws: JudgeError.self) { try Judge.verdict(home: run.home) }
  }

  @Test(arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"])
  func `A damaged database gives no verdict, and the judge says that it is damaged`(file: String) throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/\(file)"
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(repeating: 0x5A, count: 8192).write(to: URL(filePath: path))
    let error = JudgeError.damaged(path: path, reason: "file is not a database")
    #expect(throws: error) { try Judge.verdict(home: run.home) }
    #expect(error.description.contains("`baton doctor` says how"))
  }

  @Test func `A phone without a seed is sound, and a remark says that the wallet may be lost`() throws {
    let run = try SampleStory.tell()
    try FileManager.default.removeItem(atPath: "\(run.home)/Keychain/wallet-seed")
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.exitCode == 0)
    #expect(verdict.remarks.contains { $0.contains("the wallet is lost") }, "\(verdict.remarks)")
  }

  @Test
  func `An empty database counts as a wallet that never started, unless the peer has frames of it`() throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/AppGroup/node.sqlite"
    try Data().write(to: URL(filePath: path))
    #expect(throws: JudgeError.unreadable(path: path, reason: "no such table: meta")) {
      try Judge.verdict(home: run.home)
    }
    try run.ledger.executeAll("DELETE FROM frames")
    #expect(throws: JudgeError.neverBegun(path: path)) { try Judge.verdict(home: run.home) }
  }

  @Test
  func `The judge leaves no file behind and reads the write-ahead log`() throws {
    let run = try SampleStory.tell()
    // A killed process leaves its write-ahead log: here a copy of the open database.
    try run.wallet.executeAll(
      "PRAGMA journal_mode = WAL; UPDATE claims SET incarnation = 77 WHERE epoch = 3")
    let copy = run.home + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: run.home, toPath: copy)
    try FileManager.default.removeItem(atPath: "\(copy)/AppGroup/node.sqlite-shm")
    let before = try FileManager.default.subpathsOfDirectory(atPath: copy).sorted()
    let verdict = try Judge.verdict(home: copy)
    #expect(verdict.findings.contains { $0.sentence.contains("another incarnation than the row has") })
    #expect(try FileManager.default.subpathsOfDirectory(atPath: copy).sorted() == before)
  }

  @Test
  func `The judge reads databases in use, with a remark`() throws {
    let run = try SampleStory.tell()
    let holder = try Holder("\(run.home)/AppGroup/node.sqlite")
    defer { holder.end() }
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.findings == [])
    #expect(verdict.remarks.contains { $0.contains("were running") })
  }
}
