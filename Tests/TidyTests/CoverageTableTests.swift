import Foundation
import TestKit

/// Tests/coverage.tsv lists claimed behaviours with their states; a test names those that it shows. Only ids are checked
/// here; scripts/coverage checks that the tests pass.
@Suite struct CoverageTableTests {
  private struct Row {
    var id: String
    var claim: String
    var state: String
    /// What shows it, for a row without a test of its own.
    var how: String

    var isShown: Bool { state == "works" || state.hasPrefix("partly: ") }
    var hasState: Bool { isShown || state.hasPrefix("not built: ") || state.hasPrefix("not applicable: ") }
  }

  /// The ids that each test names with `.shows`.
  private static let named: [[String]] = Project.tests.flatMap { file in
    file.text.matches(of: #/@Test\(\s*\.shows\((?<ids>[^)]*)\)/#).map { match in
      match.ids.matches(of: #/"(?<id>[^"]*)"/#).map { String($0.id) }
    }
  }

  private func rows() throws -> [Row] {
    let table = try #require(Project.file("Tests/coverage.tsv"))
    return table.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let cells =
        line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) + ["", "", ""]
      return Row(id: cells[0], claim: cells[1], state: cells[2], how: cells[3])
    }
  }

  @Test
  func `Each row of coverage.tsv that works at least partly has a test or says what shows it, no other row`()
    throws
  {
    let rows = try rows()
    #expect(rows.count > 300)
    expect(Set(rows.map(\.id)).count, is: rows.count, "an id is there twice")
    let named = Set(Self.named.joined())
    for row in rows {
      #expect(row.claim.hasSuffix("."), "\(row.id) has no sentence of what is claimed")
      #expect(row.hasState, "\(row.id) has no state")
      if !row.isShown {
        #expect(!named.contains(row.id) && row.how.isEmpty, "\(row.id) is \(row.state), and is shown")
      } else if named.contains(row.id) {
        #expect(row.how.isEmpty, "a test shows \(row.id): remove the row's last column")
      } else {
        #expect(!row.how.isEmpty, "no test shows \(row.id), and no column says what shows it")
      }
      guard row.how.hasPrefix("as ") else { continue }
      for other in row.how.dropFirst(3).split(separator: ", ") {
        #expect(named.contains(String(other)), "\(row.id) is shown as \(other) is, which has no test")
      }
    }
  }

  @Test func `Each id that a test shows is in coverage.tsv`() throws {
    let known = Set(try rows().map(\.id))
    #expect(Self.named.count > 100)
    expect(Set(Self.named.joined()).subtracting(known).sorted(), is: [])
  }

  @Test
  func `coverage.md lists each row of coverage.tsv that works partly or is not built, and no other row`()
    throws
  {
    let page = try #require(Project.file("docs/coverage.md"))
    let listed = page.text.matches(
      of: #/(?m)^- (?<ids>[A-Z]-[0-9A-Z][0-9A-Za-z.]*(, [A-Z]-[0-9A-Z][0-9A-Za-z.]*)*)/#
    ).flatMap { $0.ids.split(separator: ", ").map(String.init) }
    let missing = try rows().filter { $0.state.hasPrefix("partly: ") || $0.state.hasPrefix("not built: ") }
    expect(listed.sorted(), is: missing.map(\.id).sorted(), "run scripts/coverage")
  }
}
