import PhonePolicy

/// The newest rows of a file, kept in memory: one per id.
struct NewestRows<Row: NumberedRow> {
  static var kept: Int { 256 }

  private(set) var rows: [Row] = []
  private(set) var nextID: UInt64 = 1

  func row(_ id: UInt64) -> Row? { rows.last { $0.id == id } }

  /// No-op if the row is not among the newest.
  mutating func replace(_ row: Row) {
    if let index = rows.lastIndex(where: { $0.id == row.id }) { rows[index] = row }
  }

  /// Replaces a row with the same id in place. Returns the row that was dropped.
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
