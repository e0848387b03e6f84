import Foundation
import GeneratedPages
import PairSupport
import Testing
import WaitingTests

/// docs/schema.md is generated from the databases that the programs create.
@Suite("docs/schema.md", .serialized, .waits) struct SchemaPageTests {
  private static let page = GeneratedPage("docs/schema.md")

  private func replaced(_ page: String, _ part: String, by schema: String) throws -> String {
    let marker = "<!-- \(part), made by SchemaPageTests -->\n```sql\n"
    let begin = try #require(page.range(of: marker), "docs/schema.md has no place for the \(part)").upperBound
    let end = try #require(page.range(of: "```\n", range: begin..<page.endIndex)).lowerBound
    return page.replacingCharacters(in: begin..<end, with: schema)
  }

  @Test
  func `docs/schema.md has the schemas of the container and the ledger as the programs create them`() throws {
    let phone = try TestPhone()
    defer { phone.end() }
    _ = try phone.launchApp()
    var new = try replaced(
      Self.page.read(), "container", by: SchemaText.of("\(phone.home)/AppGroup/node.sqlite"))
    new = try replaced(new, "ledger", by: SchemaText.of("\(phone.home)/lsp/ledger.sqlite"))
    try Self.page.expect(new)
  }

  @Test
  func `In docs/schema.md a column whose constraint has brackets and commas stays on one line`() {
    #expect(
      SchemaText.layOut("CREATE TABLE t(a TEXT CHECK (a IN ('x', 'y')),\n b BLOB, PRIMARY KEY (a, b)) STRICT")
        == "CREATE TABLE t (\n  a TEXT CHECK (a IN ('x', 'y')),\n  b BLOB,\n  PRIMARY KEY (a, b)\n) STRICT;")
    #expect(SchemaText.layOut("CREATE INDEX i ON t (a,\n b)") == "CREATE INDEX i ON t (a, b);")
  }
}
