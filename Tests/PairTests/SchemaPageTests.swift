import GeneratedPages

/// docs/schema has the tables of the databases that the programs create.
@Suite("docs/schema", .serialized, .waits) struct SchemaPageTests {
  @Test
  func `docs/schema has the schemas of the container and the ledger as the programs create them`() throws {
    let phone = try TestPhone()
    _ = try phone.launchApp()
    try GeneratedPage("docs/schema/container.sql").expect(SchemaText.of("\(phone.home)/AppGroup/node.sqlite"))
    try GeneratedPage("docs/schema/ledger.sql").expect(SchemaText.of("\(phone.home)/lsp/ledger.sqlite"))
  }

  @Test func `In docs/schema a column whose constraint has brackets and commas stays on one line`() {
    expect(
      SchemaText.layOut(
        "CREATE TABLE t(a TEXT CHECK (a IN ('x', 'y')),\n b BLOB, PRIMARY KEY (a, b)) STRICT"),
      is: "CREATE TABLE t (\n  a TEXT CHECK (a IN ('x', 'y')),\n  b BLOB,\n  PRIMARY KEY (a, b)\n) STRICT;")
    expect(SchemaText.layOut("CREATE INDEX i ON t (a,\n b)"), is: "CREATE INDEX i ON t (a, b);")
  }
}
