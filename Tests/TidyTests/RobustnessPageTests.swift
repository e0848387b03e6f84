import Foundation
import Testing

/// Each test named in docs/robustness.md exists.
@Suite struct RobustnessPageTests {
  private struct Table {
    var heading: [String]
    var rows: [[String]] = []

    var testColumn: Int? { heading.firstIndex { $0 == "test" } }
    /// A table of damages or findings needs a column of tests.
    var owesTests: Bool {
      heading.contains { ["damage or input", "found"].contains($0) }
    }
  }

  /// The cell of a row without a test.
  private static let notHeld = "not held by a test"

  /// Test names, test functions and scripts.
  private static let tests = Project.tests.map(\.text).joined(separator: "\n")

  @Test func `Each row of robustness.md names existing tests, or says that no test holds it`() throws {
    let tables = try tables()
    #expect(tables.filter { $0.testColumn != nil }.count > 10)
    #expect(tables.filter { $0.testColumn != nil }.map(\.rows.count).reduce(0, +) > 100)
    for table in tables {
      guard let column = table.testColumn else {
        if table.owesTests { Issue.record("this table names no tests: \(table.heading)") }
        continue
      }
      for row in table.rows {
        guard row.count == table.heading.count else {
          Issue.record("\(row.count) cells under \(table.heading.count) headings: \(row)")
          continue
        }
        check(row[column], of: row[0])
      }
    }
  }

  private func check(_ cell: String, of row: String) {
    if cell == Self.notHeld { return }
    let names = cell.matches(of: #/`(?<name>[^`]+)`/#).map { String($0.name) }
    if names.isEmpty { Issue.record("no test holds: \(row)") }
    for name in names {
      let isThere =
        Self.tests.contains("`\(name)`(") || Self.tests.contains("\"\(name)\"")
        || Project.paths.contains(name)
      if !isThere { Issue.record("there is no test `\(name)`: \(row)") }
    }
  }

  private func tables() throws -> [Table] {
    let page = try #require(Project.file("docs/robustness.md"))
    var tables: [Table] = []
    var isInTable = false
    for line in page.text.split(separator: "\n", omittingEmptySubsequences: false) {
      defer { isInTable = line.hasPrefix("|") }
      guard line.hasPrefix("|"), !line.hasPrefix("|--") else { continue }
      // A bar in a cell is escaped with a backslash.
      let cells = line.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
        .dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
      if isInTable {
        tables[tables.count - 1].rows.append(cells)
      } else {
        tables.append(Table(heading: cells))
      }
    }
    return tables
  }
}
