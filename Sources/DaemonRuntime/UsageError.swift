/// A command line that cannot be followed, in one sentence.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// What was typed is part of it, whatever it was.
  public init(description: String) { self.description = description.onOneLine }

  /// A word for which there is nothing, with the one that was probably meant.
  init(unknown kind: String, _ word: String, among known: [String], of command: String) {
    let advice = NearestWord.find(word, among: known).map { "did you mean \($0)?" } ?? "see \(command) -h"
    self.init(description: "there is no \(kind) \(Self.quoted(word)); \(advice)")
  }

  /// A typed word as it may stand in a sentence: of bearable length, and nothing that moves the cursor.
  public static func quoted(_ word: String) -> String {
    let shown = String(word.unicodeScalars.prefix(80)).onOneLine
    return "`\(shown)\(word.unicodeScalars.count > 80 ? "…" : "")`"
  }
}
