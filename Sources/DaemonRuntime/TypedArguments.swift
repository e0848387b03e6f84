import Glibc

/// What was typed behind the program's name, and what the environment says.
///
/// Bytes that are not UTF-8 would be repaired on the way to a `String`, and then a path means another file than the
/// one that was typed: so they are refused.
public enum TypedArguments {
  public static func readOrExit() -> [String] {
    (1..<max(1, CommandLine.argc)).map { index in
      guard let word = CommandLine.unsafeArgv[Int(index)], let text = String(validatingCString: word) else {
        exitWithSentence(.wrongUsage, "word \(index) of the command line is not UTF-8; type it in UTF-8")
      }
      return text
    }
  }

  /// Nil when it is not set, or empty.
  public static func environmentOrExit(_ name: String, _ value: OptionValue) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let text = String(validatingCString: bytes) else {
      exitWithSentence(.wrongUsage, "\(name) is not UTF-8; set it anew, or unset it")
    }
    if text.isEmpty { return nil }
    if let complaint = value.complaint(about: text) {
      exitWithSentence(.wrongUsage, "\(name) must be \(complaint), not \(UsageError.quoted(text))")
    }
    return text
  }
}
