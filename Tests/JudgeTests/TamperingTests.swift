import Foundation
import Testing

@testable import Judge

@Suite("A database changed by hand")
struct TamperingTests {
  /// Columns that no other evidence speaks of, with the reason. There are none.
  private static let displayOnly: [String: String] = [:]

  @Test("is noticed, whatever row or column it is", arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"])
  func everyRowAndColumn(database: String) throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/\(database)"
    let pristine = try #require(FileManager.default.contents(atPath: path))
    let tamperings = try Tampering.all(of: database, in: run.home)
    #expect(tamperings.count > 150)
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
