/// The two kinds of background task.
public enum TaskKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// App refresh: 30 s, at most every 15 minutes.
  case refresh
  /// Processing: minutes of work while the phone is not in use.
  case processing
}
