import Foundation
import Testing

/// Tests/coverage.tsv lists claimed behaviours with their states; a test shows those whose ids its name begins with. Only
/// names are checked here; scripts/coverage checks that the tests pass.
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

  private struct Name {
    var ids: [String]
    var text: String
  }

  /// The display names that begin with an id.
  private static let names: [Name] = Project.tests.flatMap { file in
    file.text.matches(of: #/func\s+`(?<name>[A-Z]-[0-9A-Z][^`]*)`/#).compactMap { match in
      let text = String(match.name)
      guard let ids = text.prefixMatch(of: #/[A-Z]-[0-9A-Z][0-9A-Za-z.]*(, [A-Z]-[0-9A-Z][0-9A-Za-z.]*)* /#)
      else { return nil }
      return Name(ids: ids.0.dropLast().split(separator: ", ").map(String.init), text: text)
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
    #expect(Set(rows.map(\.id)).count == rows.count, "an id is there twice")
    let named = Set(Self.names.flatMap(\.ids))
    for row in rows {
      #expect(row.claim.hasSuffix("."), "\(row.id) has no sentence of what is claimed")
      #expect(row.hasState, "\(row.id) has no state")
      if !row.isShown {
        #expect(!named.contains(row.id) && row.how.isEmpty, "\(row.id) is \(row.state), and is shown")
      } else if named.contains(row.id) {
        #expect(row.how.isEmpty, "a test is named after \(row.id): remove the row's last column")
      } else {
        #expect(!row.how.isEmpty, "no test is named after \(row.id), and no column says what shows it")
      }
      guard row.how.hasPrefix("as ") else { continue }
      for other in row.how.dropFirst(3).split(separator: ", ") {
        #expect(named.contains(String(other)), "\(row.id) is shown as \(other) is, which has no test")
      }
    }
  }

  @Test func `Each id in a test's name is in coverage.tsv`() throws {
    let known = Set(try rows().map(\.id))
    #expect(Self.names.count > 100)
    for name in Self.names {
      for id in name.ids where !known.contains(id) {
        Issue.record("Tests/coverage.tsv has no row for \(id), which a test is named after: \(name.text)")
      }
      // An id without a comma before it would count as a word of the name.
      let rest = name.text.dropFirst(name.ids.joined(separator: ", ").count + 1)
      #expect(rest.prefixMatch(of: #/[A-Z]-[0-9A-Z]/#) == nil, "a comma is missing: \(name.text)")
    }
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
    #expect(listed.sorted() == missing.map(\.id).sorted(), "run scripts/coverage")
  }
}
