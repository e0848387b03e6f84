/// One broken rule, in words, with the rows that show it.
public struct Finding: Hashable, Codable, Sendable {
  /// The number in the design's list of what is never allowed to happen.
  public let invariant: Int
  public let sentence: String
  /// Where it stands: database, table and number, or journal and line.
  public let rows: [String]

  public init(invariant: Int, sentence: String, rows: [String]) {
    self.invariant = invariant
    self.sentence = sentence
    self.rows = rows
  }
}
