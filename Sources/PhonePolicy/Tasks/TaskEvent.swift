/// What happens to background tasks.
public enum TaskEvent: Hashable, Codable, Sendable {
  // Messages of the app.
  case submitted(TaskRequest)
  case cancelled(identifier: String)
  case completed(identifier: String, run: UInt64, isSuccess: Bool)

  // What a developer does in Xcode.
  case launchedByHand(identifier: String)
  case expiredByHand(identifier: String)
}
