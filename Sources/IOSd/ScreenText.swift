import DaemonRuntime

/// Limits a wallet process's text before the phone stores it: one message cannot fill the notification centre or
/// send control characters to a terminal.
enum ScreenText {
  static let titleMax = 256
  static let bodyMax = 1024
  static let nameMax = 64

  static func cut(_ text: String, to count: Int) -> String {
    String(text.unicodeScalars.prefix(count)).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).onOneLine }.joined(separator: "\n")
  }
}
