/// What becomes of a visible push while the app is in front: accounts of the real thing differ.
public enum ForegroundPushes: String, Hashable, Codable, Sendable, CaseIterable {
  /// The app gets it, and nobody else.
  case app
  /// The extension is started for it all the same, and the app is handed the push when it is shown.
  case `extension`
}
