/// What the app says of a silent push when it is done with it: `UIBackgroundFetchResult`.
public enum SilentPushResult: String, Hashable, Codable, Sendable, CaseIterable {
  case newData = "new-data"
  case noData = "no-data"
  case failed
}
