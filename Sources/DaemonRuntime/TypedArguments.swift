import Glibc

/// What was typed behind the program's name, and what the environment says.
///
/// Bytes that are not UTF-8 would be repaired on the way to a `String`, and then a path means another file than the
/// one that was typed: so they are refused.
public enum TypedArguments {
  public static func read() throws(UsageError) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, CommandLine.argc) {
      guard let word = CommandLine.unsafeArgv[Int(index)], let text = String(validatingCString: word) else {
        throw UsageError(description: "word \(index) of the command line is not UTF-8; type it in UTF-8")
      }
      words.append(text)
    }
    return words
  }

  public static func readOrExit() -> [String] {
    do throws(UsageError) {
      return try read()
    } catch { exitWithSentence(.wrongUsage, error.description) }
  }

  /// Nil when it is not set, or empty.
  public static func environment(_ name: String, _ value: OptionValue) throws(UsageError) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let text = String(validatingCString: bytes) else {
      throw UsageError(description: "\(name) is not UTF-8; set it anew, or unset it")
    }
    if text.isEmpty { return nil }
    if let complaint = value.complaint(about: text) {
      throw UsageError(description: "\(name) must be \(complaint), not \(UsageError.quoted(text))")
    }
    return text
  }
}
