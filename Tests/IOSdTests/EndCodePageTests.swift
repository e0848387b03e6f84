import PhonePolicy

@Suite struct EndCodePageTests {
  @Test func `docs/protocols.md lists every end code of a process`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/protocols.md"), encoding: .utf8)
    let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `end_code` |") })
    // Notes are in parentheses.
    let codes = row.replacing(/\([^)]*\)/, with: "")
    let words = codes.matches(of: /`([a-z-]+)`/).map { String($0.output.1) }
    expect(words.sorted(), is: EndCode.allCases.map(\.rawValue).sorted())
  }
}
