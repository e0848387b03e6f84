/// Quotes a word for a shell.
public enum ShellWord {
  private static let plain = Set("/._-+=:,@%".utf8)

  /// In single quotes, unless the word has only letters, digits and harmless punctuation.
  public static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let isLetter = (97...122).contains(byte | 0x20) && byte < 128
      return isLetter || (48...57).contains(byte) || plain.contains(byte)
    }
    if isPlain && !word.isEmpty { return word }
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: #"'\''"#))'"
  }
}
