/// Why a text is not a valid story: one sentence, with the line.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  public var line: Int
  public var sentence: String

  init(_ line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }

  public var description: String { "line \(line): \(sentence)" }
}
