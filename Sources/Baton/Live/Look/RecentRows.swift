import PhonePolicy

/// The last rows of a file that grows, one for each id, however long the file is.
struct RecentRows<Row: NumberedRow> {
  private let file: GrowingRows<Row>
  private(set) var rows: [Row] = []
  private(set) var lastID: UInt64 = 0
  private let most: Int

  init(_ path: String, most: Int) {
    file = GrowingRows(path)
    self.most = most
  }

  mutating func update() {
    let new = file.next()
    guard !new.isEmpty else { return }
    lastID = max(lastID, new.map(\.id).max() ?? 0)
    rows = (rows + new).lastOfEach.suffix(most)
  }
}
