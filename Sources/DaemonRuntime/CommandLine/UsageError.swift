/// An invalid command line, in one sentence.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// The sentence may quote typed text, so it is put on one line.
  public init(description: String) { self.description = description.onOneLine }

  /// An unknown word, with the one that was probably meant.
  init(unknown kind: String, _ word: String, among known: [String], of command: String) {
    let advice = NearestWord.find(word, among: known).map { "did you mean \($0)?" } ?? "see \(command) -h"
    self.init(description: "there is no \(kind) \(Self.quoted(word)); \(advice)")
  }

  /// A typed word for use in a sentence: shortened, and without control characters.
  public static func quoted(_ word: String) -> String {
    let shown = String(word.unicodeScalars.prefix(80)).onOneLine
    return "`\(shown)\(word.unicodeScalars.count > 80 ? "…" : "")`"
  }
}
