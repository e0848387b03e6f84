/// What iOS does with an extension's process when the extension has called its content handler.
public enum AfterContent: String, Hashable, Codable, Sendable, CaseIterable {
  /// It goes on until the extension says that it has finished the push.
  case run
  /// It is suspended at once. The next push resumes it.
  case suspend
  /// It is killed at once.
  case kill
}
