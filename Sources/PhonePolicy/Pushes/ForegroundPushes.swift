/// What happens to a visible push while the app is in the foreground: reports about iOS differ.
public enum ForegroundPushes: String, Hashable, Codable, Sendable, CaseIterable {
  /// Only the app gets it.
  case app
  /// The extension is started for it anyway, and the app gets the push when it is shown.
  case `extension`
}
