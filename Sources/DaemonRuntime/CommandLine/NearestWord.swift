/// Finds the known word that was probably meant.
public enum NearestWord {
  public static func find(_ word: String, among known: [String]) -> String? {
    let plain = word.drop { $0 == "-" }
    if plain.count >= 3, let longer = known.first(where: { $0.drop { $0 == "-" }.hasPrefix(plain) }) {
      return longer
    }
    let limit = max(1, min(3, word.count / 3))
    let ranked = known.map { (word: $0, distance: distance(Array(word.prefix(64)), Array($0))) }
    return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours.
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var best = min(
          previous[column + 1] + 1, current[column] + 1, previous[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          best = min(best, beforePrevious[column - 1] + 1)
        }
        current.append(best)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
