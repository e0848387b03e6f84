import CLinux
import Glibc

/// The arguments of the command line, and environment variables.
///
/// Invalid UTF-8 is refused: a `String` would repair it, and a path would then mean another file than the typed
/// one.
public enum TypedArguments {
  public static func read() throws(UsageError) -> [String] {
    var words: [String] = []
    guard baton_argument_count() > 0 else {
      throw UsageError(description: "the program was started without its name; start it by a shell")
    }
    for index in 1..<max(1, baton_argument_count()) {
      guard let word = baton_argument(index), let text = String(validatingCString: word) else {
        throw UsageError(description: "argument \(index) is not valid UTF-8; type it in UTF-8")
      }
      words.append(text)
    }
    return words
  }

  /// For people: the program's name and its arguments, with invalid UTF-8 repaired.
  public static var words: [String] {
    (0..<baton_argument_count()).compactMap { baton_argument($0).map { String(cString: $0) } }
  }

  public static func readOrExit() -> [String] {
    do throws(UsageError) { return try read() } catch { exitWithSentence(.wrongUsage, error.description) }
  }

  /// Nil if the variable is not set or empty.
  public static func environment(_ name: String, _ value: OptionValue) throws(UsageError) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let text = String(validatingCString: bytes) else {
      throw UsageError(description: "\(name) is not valid UTF-8; correct it, or unset it")
    }
    if text.isEmpty { return nil }
    if let expected = value.expectation(violatedBy: text) {
      throw UsageError(description: "\(name) must be \(expected), not \(UsageError.quoted(text))")
    }
    return text
  }
}
