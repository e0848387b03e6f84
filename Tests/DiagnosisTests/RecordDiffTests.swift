import TestKit

@testable import Baton

@Suite struct RecordDiffTests {
  private func rows(_ words: [(String, String)], isWhole: Bool = true) -> RecordSet {
    RecordSet("rows", words.map { .init(key: $0.0, words: $0.1) }, isExact: isWhole)
  }

  @Test func `Rows are added, removed and changed by their key`() {
    let diff = RecordDiff(
      rows([("a", "1"), ("b", "1"), ("c", "1")]), rows([("b", "2"), ("c", "1"), ("d", "1")]))
    #expect(diff.added == ["d: 1"] && diff.removed == ["a: 1"])
    expect(diff.changed, is: [.init(key: "b", before: "1", after: "2")])
    #expect(diff.whole && !diff.isEmpty)
    #expect(RecordDiff(rows([("a", "1")]), rows([("a", "1")])).isEmpty)
  }

  @Test func `A row that only one side has read, as the other read later rows, is not removed or added`() {
    let before = rows([("a", "1"), ("b", "1"), ("c", "1")], isWhole: false)
    let after = rows([("b", "1"), ("c", "1"), ("d", "1")], isWhole: false)
    let diff = RecordDiff(before, after)
    #expect(diff.added == ["d: 1"] && diff.removed == [] && !diff.whole)
    let older = RecordDiff(after, rows([("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]))
    #expect(older.isEmpty)
  }

  @Test func `A fact that only one side has differs`() {
    let diff = FactDiff.all([("x", "1"), ("y", "2")], [("x", "1"), ("z", "3")])
    expect(
      diff, is: [FactDiff(name: "z", before: nil, after: "3"), FactDiff(name: "y", before: "2", after: nil)])
  }
}
