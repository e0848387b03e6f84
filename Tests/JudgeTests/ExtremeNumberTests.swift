import Testing

@testable import Judge
@testable import TestHomes

@Suite("Extreme numbers in the databases") struct ExtremeNumberTests {
  private static let numbers = [
    "-9223372036854775808", "-1", "0", "36028797018963968", "9223372036854775807",
  ]

  /// Each row of the column gets another of the numbers.
  private func put(_ shift: Int, into column: String, of table: String, _ database: TestDatabase) {
    let cases = Self.numbers.enumerated().map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
    // A row that a constraint keeps as it is, is no reading of the judge's.
    try? database.execute(
      "UPDATE OR IGNORE \(table) SET \(column) = CASE (rowid + \(shift)) % \(Self.numbers.count) \(cases) END"
    )
  }

  private func columns(of database: TestDatabase) throws -> [(table: String, column: String)] {
    try database.rows(
      """
      SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%'
      """
    ).compactMap { row in
      guard case .text(let table) = row[0], case .text(let column) = row[1] else { return nil }
      return (table, column)
    }
  }

  @Test(arguments: [true, false])
  func `No number in a column crashes the judge`(isLedger: Bool) throws {
    let database = { (run: SampleRun) in isLedger ? run.ledger : run.wallet }
    let all = try columns(of: database(SampleStory.tell()))
    #expect(all.count > 20)
    for (table, column) in all {
      for shift in [0, 2] {
        let run = try SampleStory.tell()
        put(shift, into: column, of: table, database(run))
        _ = try? Judge.verdict(home: run.home)
      }
    }
  }
}
