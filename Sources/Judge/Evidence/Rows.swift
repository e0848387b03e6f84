/// Counts accesses to rows and journal lines. Tests hold that each is accessed only a few times, however many there
/// are.
final class Visits {
  var count = 0
}

/// Rows in order, with counted accesses.
struct Rows<Element>: RandomAccessCollection {
  private let elements: [Element]
  private let visits: Visits

  init(_ elements: [Element], _ visits: Visits) {
    self.elements = elements
    self.visits = visits
  }

  var startIndex: Int { 0 }
  var endIndex: Int { elements.count }

  subscript(position: Int) -> Element {
    visits.count &+= 1
    return elements[position]
  }

  /// Indexes the rows by key in one pass.
  func index<Key: Hashable>(by key: (Element) -> Key?) -> RowIndex<Key, Element> {
    var places: [Key: [Int]] = [:]
    for (place, element) in enumerated() {
      if let key = key(element) { places[key, default: []].append(place) }
    }
    return RowIndex(rows: self, places: places)
  }
}

/// Reads whole tables.
struct TableReader {
  private let file: SQLiteFile?
  private let visits: Visits
  /// Of a ledger: the wallet whose rows are read.
  private let wallet: Int64?

  /// Without a file all tables are empty.
  init(_ file: SQLiteFile?, wallet: Int64? = nil, _ visits: Visits) {
    self.file = file
    self.wallet = wallet
    self.visits = visits
  }

  func read<Entry: Decodable>(_ table: String, by order: String) throws(JudgeError) -> Rows<Entry> {
    try read(table, by: order) { $0 }
  }

  /// Each row is made into a value at once: two copies of a table may not fit into memory.
  func read<Entry: Decodable, Value>(
    _ table: String, by order: String, _ make: (Entry) -> Value
  ) throws(JudgeError) -> Rows<Value> {
    Rows(try file?.rows(of: table, by: order, wallet: wallet, make) ?? [], visits)
  }
}

/// The rows of each key.
struct RowIndex<Key: Hashable, Element> {
  fileprivate let rows: Rows<Element>
  fileprivate let places: [Key: [Int]]

  func all(_ key: Key) -> [Element] { (places[key] ?? []).map { rows[$0] } }
  func first(_ key: Key) -> Element? { places[key]?.first.map { rows[$0] } }
  func contains(_ key: Key) -> Bool { places[key] != nil }
}
