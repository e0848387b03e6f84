/// A command line that cannot be followed, in one sentence.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  /// A typed word as it may stand in a sentence: of bearable length, and nothing that moves the cursor.
  public static func quoted(_ word: String) -> String {
    let shown = word.unicodeScalars.prefix(80).map { scalar in
      scalar.value < 32 || (127..<160).contains(scalar.value) ? "\u{FFFD}" : String(scalar)
    }
    return "`\(shown.joined())\(word.unicodeScalars.count > 80 ? "…" : "")`"
  }
}
