import PhonePolicy

/// The rows of one kind that were read: each has a key that stays, and words for what may change.
package struct RecordSet: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var key: String
    package var words: String
  }

  package var kind: String
  package var rows: [Row]
  /// How many there are, and whether there may be more.
  package var number: Int64
  package var isExact: Bool

  package init(_ kind: String, _ rows: [Row], number: Int64? = nil, isExact: Bool = true) {
    (self.kind, self.rows) = (kind, rows)
    (self.number, self.isExact) = (number ?? Int64(rows.count), isExact)
  }

  var isWhole: Bool { isExact && number <= rows.count }
}

/// What differs between the rows of two containers.
package struct RecordDiff: Report, Hashable {
  package struct Changed: Report, Hashable {
    package var key: String
    package var before: String
    package var after: String
  }

  package var kind: String
  package var added: [String]
  package var removed: [String]
  package var changed: [Changed]
  /// False if only the last rows were compared.
  package var whole: Bool

  package init(_ before: RecordSet, _ after: RecordSet) {
    kind = after.kind
    whole = before.isWhole && after.isWhole
    let (old, new) = Self.common(before, after)
    let oldWords = Dictionary(old.map { ($0.key, $0.words) }) { first, _ in first }
    let newKeys = Set(new.map(\.key))
    added = new.filter { oldWords[$0.key] == nil }.map(Self.line)
    removed = old.filter { !newKeys.contains($0.key) }.map(Self.line)
    changed = new.compactMap { row in
      guard let words = oldWords[row.key], words != row.words else { return nil }
      return Changed(key: row.key, before: words, after: row.words)
    }
  }

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

  private static func line(_ row: RecordSet.Row) -> String { "\(row.key): \(row.words)" }

  /// Rows that only one side has read, because the other began later, are left out.
  private static func common(
    _ before: RecordSet, _ after: RecordSet
  ) -> (ArraySlice<RecordSet.Row>, ArraySlice<RecordSet.Row>) {
    var (old, new) = (before.rows[...], after.rows[...])
    if !after.isWhole, let first = new.first, let place = old.firstIndex(where: { $0.key == first.key }) {
      old = old[place...]
    }
    if !before.isWhole, let first = old.first, let place = new.firstIndex(where: { $0.key == first.key }) {
      new = new[place...]
    }
    return (old, new)
  }
}

/// A single value that differs; nil where there is none.
package struct FactDiff: Report, Hashable {
  package var name: String
  package var before: String?
  package var after: String?

  /// The facts that differ, in the order of `after`, and then those that only `before` has.
  package static func all(_ before: [(String, String)], _ after: [(String, String)]) -> [FactDiff] {
    let earlier = Dictionary(before) { first, _ in first }
    let names = after.map(\.0) + before.map(\.0).filter { name in !after.contains { $0.0 == name } }
    let later = Dictionary(after) { first, _ in first }
    return names.compactMap { name in
      earlier[name] == later[name] ? nil : FactDiff(name: name, before: earlier[name], after: later[name])
    }
  }
}
