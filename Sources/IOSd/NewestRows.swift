import Reports

/// What of a file of rows is kept in memory: the newest rows, one of each number.
struct NewestRows<Row: NumberedRow> {
  static var kept: Int { 256 }

  private(set) var rows: [Row] = []
  private(set) var nextID: UInt64 = 1

  func row(_ id: UInt64) -> Row? { rows.last { $0.id == id } }

  /// Nothing, if it is not among the newest.
  mutating func replace(_ row: Row) {
    if let index = rows.lastIndex(where: { $0.id == row.id }) { rows[index] = row }
  }

  /// One that is there already is changed where it stands. Gives the row that had to make room.
  @discardableResult
  mutating func keep(_ row: Row) -> Row? {
    nextID = max(nextID, row.id &+ 1)
    if let index = rows.lastIndex(where: { $0.id == row.id }) {
      rows[index] = row
      return nil
    }
    rows.append(row)
    return rows.count > Self.kept ? rows.removeFirst() : nil
  }
}
