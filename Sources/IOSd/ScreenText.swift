import DaemonRuntime

/// Text of a wallet process as the phone keeps it: no process fills the notification centre with a single message, or
/// moves the cursor of a terminal that shows it later.
enum ScreenText {
  static let titleMax = 256
  static let bodyMax = 1024
  static let nameMax = 64

  static func cut(_ text: String, to count: Int) -> String {
    String(text.unicodeScalars.prefix(count)).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).onOneLine }.joined(separator: "\n")
  }
}
