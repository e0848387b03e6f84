/// Folds repeated groups of lines in a story into one, with the number of repetitions.
enum Repetition {
  private static let longestRound = 24

  /// Folds consecutive rounds of items with equal keys.
  static func folded<Item>(
    _ items: [Item], by key: (Item) -> String, note: (_ lines: Int, _ times: Int, _ last: Item) -> Item
  ) -> [Item] {
    let keys = items.map(key)
    var folded: [Item] = []
    var place = 0
    while place < items.count {
      let (length, rounds) = round(keys, at: place)
      guard rounds > 2 else {
        folded.append(items[place])
        place += 1
        continue
      }
      folded += items[place..<place + length]
      place += length * rounds
      folded.append(note(length, rounds - 1, items[place - 1]))
    }
    return folded
  }

  /// The shortest round that begins here and repeats at least three times, with its count.
  private static func round(_ keys: [String], at start: Int) -> (length: Int, times: Int) {
    for length in 1...longestRound where start + 3 * length <= keys.count {
      var times = 1
      while start + (times + 1) * length <= keys.count,
        keys[start..<start + length] == keys[start + times * length..<start + (times + 1) * length]
      { times += 1 }
      if times > 2 { return (length, times) }
    }
    return (1, 1)
  }
}
