/// How often a row of a table or a line of a journal was looked at. The judge is to look at each a few times, however
/// many there are: its tests hold that.
final class Visits {
  var count = 0
}

/// Rows in their order, each look at one of which is counted.
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

  /// Which rows have which key, found in one pass.
  func index<Key: Hashable>(by key: (Element) -> Key?) -> RowIndex<Key, Element> {
    var places: [Key: [Int]] = [:]
    for (place, element) in enumerated() {
      if let key = key(element) { places[key, default: []].append(place) }
    }
    return RowIndex(rows: self, places: places)
  }
}

/// Reads tables whole.
struct TableReader {
  private let file: SQLiteFile?
  private let visits: Visits

  /// Without a file all tables are empty.
  init(_ file: SQLiteFile?, _ visits: Visits) {
    self.file = file
    self.visits = visits
  }

  func read<Entry>(
    _ table: String, by order: String, _ make: (SQLiteRow) throws(JudgeError) -> Entry
  ) throws(JudgeError) -> Rows<Entry> {
    Rows(try file?.entries(of: table, orderedBy: order, make) ?? [], visits)
  }

  /// An older program made the file without the table, or under another name.
  func readIfThere<Entry>(
    _ table: String, formerly older: String? = nil, by order: String,
    _ make: (SQLiteRow) throws(JudgeError) -> Entry
  ) throws(JudgeError) -> Rows<Entry> {
    let tables = try file?.tables() ?? []
    guard let name = [table, older].lazy.compactMap({ $0 }).first(where: tables.contains) else {
      return Rows([], visits)
    }
    return try read(name, by: order, make)
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
