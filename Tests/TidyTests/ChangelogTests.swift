import Testing

/// Counts in CHANGELOG.md are checked.
@Suite struct ChangelogTests {
  @Test func `CHANGELOG.md has the number of stories in Tests/Scenarios`() throws {
    let page = try #require(Project.file("CHANGELOG.md"))
    let said = try #require(page.text.firstMatch(of: /(?<count>\d+) of them in `Tests\/Scenarios`/))
    let stories = Project.paths.filter { $0.hasPrefix("Tests/Scenarios/") && $0.hasSuffix(".txt") }
    #expect(Int(said.count) == stories.count)
  }
}
