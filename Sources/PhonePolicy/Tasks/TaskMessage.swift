/// A message to the app about its tasks.
public enum TaskMessage: Hashable, Codable, Sendable {
  case accepted(identifier: String)
  case refused(identifier: String, Refusal)
  case run(identifier: String, run: UInt64, milliseconds: Int64)
  case willExpire(identifier: String, run: UInt64)
}
