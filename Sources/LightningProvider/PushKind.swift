/// How a push reaches the phone.
public enum PushKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// For the app in the background, without an alert: best effort.
  case silent = "silent"
  /// Shown to the user, after the extension has rewritten it.
  case alert = "alert"
}
