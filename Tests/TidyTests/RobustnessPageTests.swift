import Foundation
import Testing

/// docs/robustness.md promises that each row is held by a test. A promise to a test that is gone is none.
@Suite struct RobustnessPageTests {
  private static let columns = 4

  /// Display names and functions of tests, and scripts that people run.
  private static let tests = Project.tests.map(\.text).joined(separator: "\n")

  @Test func eachRowNamesTestsThatExist() throws {
    let page = try #require(Project.file("docs/robustness.md"))
    var rows = 0
    for line in page.text.split(separator: "\n")
    where line.hasPrefix("|") && line.contains("| test |") == false {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == Self.columns, !cells[0].hasPrefix("--") else { continue }
      rows += 1
      let names = cells[3].matches(of: #/`(?<name>[^`]+)`/#).map { String($0.name) }
      if names.isEmpty { Issue.record("no test holds: \(cells[0])") }
      for name in names {
        let isThere =
          Self.tests.contains("func \(name)(") || Self.tests.contains("func `\(name)`(")
          || Self.tests.contains("\"\(name)\"")
          || Project.paths.contains(name)
        if !isThere { Issue.record("there is no test `\(name)`: \(cells[0])") }
      }
    }
    #expect(rows > 50)
  }
}
