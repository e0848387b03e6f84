import Foundation

@testable import TestHomes

/// One change by hand of one of the databases.
struct Tampering: CustomStringConvertible {
  let database: String
  let table: String
  let row: Int64
  /// Nil for a row that is deleted.
  let column: String?
  let values: [TestDatabase.Value]

  var description: String { "\(database) \(table) row \(row) \(column ?? "deleted")" }

  /// The first of its values that the table's keys let pass.
  func apply(in home: String) throws {
    let file = try TestDatabase("\(home)/\(database)")
    guard let column else {
      try file.execute("DELETE FROM \"\(table)\" WHERE rowid = ?", [.integer(row)])
      return
    }
    for (index, value) in values.enumerated() {
      do {
        try file.execute("UPDATE \"\(table)\" SET \"\(column)\" = ? WHERE rowid = ?", [value, .integer(row)])
        return
      } catch  where index + 1 < values.count { continue }
    }
  }

  /// Every row deleted, and every column of every row changed.
  static func all(of database: String, in home: String) throws -> [Tampering] {
    let file = try TestDatabase("\(home)/\(database)")
    var all: [Tampering] = []
    for case .text(let table)? in try file.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(
      \.first)
    {
      let columns = try file.rows("SELECT name, type FROM pragma_table_info(?)", [.text(table)])
      for found in try file.rows("SELECT rowid, * FROM \"\(table)\"") {
        guard case .integer(let row) = found[0] else { continue }
        all.append(Tampering(database: database, table: table, row: row, column: nil, values: []))
        for (index, column) in columns.enumerated() {
          guard case .text(let name) = column[0], case .text(let type) = column[1] else { continue }
          for values in changes(of: found[index + 1], name, type) {
            all.append(Tampering(database: database, table: table, row: row, column: name, values: values))
          }
        }
      }
    }
    return all
  }

  /// Each change as the values to try in turn. A stamp is moved by an hour: that a clock was read a nanosecond later is
  /// no evidence of anything.
  private static func changes(
    of value: TestDatabase.Value, _ column: String, _ type: String
  ) -> [[TestDatabase.Value]] {
    switch value {
    case .integer(let number):
      let isStamp = column.hasSuffix("_ns") || column == "opened_wall"
      let hour = SampleRun.hour
      return isStamp
        ? [[.integer(number + hour)], [.integer(number - hour)]]
        : [[.integer(number + 1), .integer(number + 1000)]]
    case .text(let text): return [[.text(text + "x")]]
    case .blob(let bytes):
      return Set([0, bytes.count / 2, bytes.count - 1]).sorted().map { place in
        var flipped = bytes
        flipped[place] ^= 4
        return [.blob(flipped)]
      }
    case .null:
      switch type {
      case "INTEGER": return [[.integer(1)]]
      case "BLOB": return [[.blob([1, 2, 3])]]
      default: return [[.text("x")]]
      }
    }
  }
}
