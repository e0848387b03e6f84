import Foundation
import Testing

/// docs/seed-sentences.md names the tests of each sentence: each named test exists, and each test is named.
@Suite struct SentencePageTests {
  private struct Row {
    var line: String
    var holds: String

    var names: [String] { holds.matches(of: #/`(?<name>[^`]+)`/#).map { String($0.name) } }
  }

  /// The display names of all tests in that folder.
  private let tests: [String] = Project.tests.filter { $0.path.hasPrefix("Tests/SeedSentenceTests/") }
    .flatMap { file in file.text.matches(of: #/func\s+`(?<name>[^`]+)`/#).map { String($0.name) } }

  private func rows() throws -> [Row] {
    let page = try #require(Project.file("docs/seed-sentences.md"))
    return page.text.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(line: cells.first ?? "", holds: cells.last ?? "")
    }
  }

  @Test func `Each row of seed-sentences.md names existing tests, or its last cell begins with 'not yet'`()
    throws
  {
    let rows = try rows()
    #expect(rows.count > 40)
    for row in rows where !row.holds.hasPrefix("not yet: ") {
      if row.names.isEmpty { Issue.record("nothing holds line \(row.line)") }
      for name in row.names {
        #expect(tests.contains(name), "there is no test `\(name)`")
        let numbers = name.prefix { $0 != ":" && $0 != "," }.matches(of: /\d+/).map { String($0.output) }
        #expect(numbers.contains(row.line), "line \(row.line) names a test of another: \(name)")
      }
    }
  }

  @Test func `Each test in SeedSentenceTests is on seed-sentences.md`() throws {
    let named = try rows().flatMap(\.names)
    #expect(tests.count > 25)
    for test in tests { #expect(named.contains(test), "docs/seed-sentences.md has no row for `\(test)`") }
  }
}
