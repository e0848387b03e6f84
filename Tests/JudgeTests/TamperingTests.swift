import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("A database changed by hand")
struct TamperingTests {
  /// Columns that no other evidence speaks of, with the reason. There are none.
  private static let displayOnly = [
    "outgoing_payments.begun_wall_ns": "a time of the phone's clock, for people",
    "outgoing_payments.ended_wall_ns": "a time of the phone's clock, for people",
    "splices.begun_wall_ns": "a time of the phone's clock, for people",
    "splices.ended_wall_ns": "a time of the phone's clock, for people",
  ]

  @Test("is noticed, whatever row or column it is", arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"])
  func everyRowAndColumn(database: String) throws {
    try demandNotice(of: database, in: try SampleStory.tell(), atLeast: 150)
  }

  @Test(
    "is noticed also in what the wallet pays itself",
    arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"]
  )
  func everyRowAndColumnOfSending(database: String) throws {
    try demandNotice(of: database, in: try SampleStory.tellOfSending(), atLeast: 70)
  }

  @Test(
    "is noticed also in what is taken out to the chain",
    arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"],
    [SampleStory.SpliceEnd.resumed, .forgotten])
  func everyRowAndColumnOfSplicing(database: String, end: SampleStory.SpliceEnd) throws {
    try demandNotice(of: database, in: try SampleStory.tellOfSplice(end), atLeast: 70)
  }

  private func demandNotice(of database: String, in run: SampleRun, atLeast count: Int) throws {
    let path = "\(run.home)/\(database)"
    let pristine = try #require(FileManager.default.contents(atPath: path))
    let tamperings = try Tampering.all(of: database, in: run.home)
    #expect(tamperings.count > count)
    var unnoticed: [String] = []
    for tampering in tamperings
    where Self.displayOnly["\(tampering.table).\(tampering.column ?? "")"] == nil {
      try tampering.apply(in: run.home)
      do {
        if try Judge.verdict(home: run.home).passed { unnoticed.append("\(tampering)") }
      } catch { unnoticed.append("\(tampering): \(error)") }
      try pristine.write(to: URL(fileURLWithPath: path))
    }
    #expect(unnoticed == [])
    #expect(try Judge.verdict(home: run.home).findings == [])
  }
}
