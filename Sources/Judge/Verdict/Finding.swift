/// One violation, as a sentence, with the rows that show it.
public struct Finding: Hashable, Codable, Sendable {
  /// The number of the `Invariant`.
  public let invariant: Int
  /// The name of the `Invariant`.
  public let name: String
  public let sentence: String
  /// Database, table and row number, or journal and line.
  public let rows: [String]
  /// When the peer got or sent the first named frame, on the monotonic clock; nil: no frame is named.
  public let atNs: Int64?

  public init(invariant: Int, sentence: String, rows: [String], atNs: Int64? = nil) {
    self.atNs = atNs
    self.invariant = invariant
    name = Invariant(rawValue: invariant)?.name ?? ""
    self.sentence = sentence
    self.rows = rows
  }

  /// `invariant 4 (nothing acknowledged is gone)`.
  public var title: String { name.isEmpty ? "invariant \(invariant)" : "invariant \(invariant) (\(name))" }

  /// The sentence without numbers, hashes and ids.
  var kind: String {
    var kind = "\(invariant) "
    var isInNumber = false
    for word in sentence.split(separator: " ", omittingEmptySubsequences: false) {
      let isNumber = word.contains { $0.isASCII && $0.isNumber }
      if isNumber, isInNumber { continue }
      kind += isNumber ? "# " : "\(word) "
      isInNumber = isNumber
    }
    return kind
  }
}
