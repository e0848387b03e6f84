/// Text of a wallet process as the phone keeps it: no process fills the notification centre with a single message, or
/// moves the cursor of a terminal that shows it later.
enum ScreenText {
  static let titleMax = 256
  static let bodyMax = 1024

  static func cut(_ text: String, to count: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(count).map { scalar in
          scalar.properties.generalCategory == .control && scalar != "\n" ? "\u{FFFD}" : scalar
        }))
  }
}
