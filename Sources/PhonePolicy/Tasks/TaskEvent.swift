/// What happens to background tasks.
public enum TaskEvent: Hashable, Codable, Sendable {
  // What the app says.
  case submitted(TaskRequest)
  case cancelled(identifier: String)
  case completed(identifier: String, run: UInt64, isSuccess: Bool)

  // What a developer does in Xcode.
  case launchedByHand(identifier: String)
  case expiredByHand(identifier: String)
}

/// What the app is told of its tasks.
public enum TaskMessage: Hashable, Codable, Sendable {
  case accepted(identifier: String)
  case refused(identifier: String, TaskRefusal)
  case run(identifier: String, run: UInt64, milliseconds: Int64)
  case willExpire(identifier: String, run: UInt64)
}
