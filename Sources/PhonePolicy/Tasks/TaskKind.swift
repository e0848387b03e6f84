/// What an app can ask the phone to start it for later.
public enum TaskKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// A short look at what is new: half a minute, every quarter of an hour at the most.
  case refresh
  /// Minutes of work, while nobody uses the phone.
  case processing
}
