/// The app's result for a silent push: `UIBackgroundFetchResult`.
public enum SilentPushResult: String, Hashable, Codable, Sendable, CaseIterable {
  case newData = "new-data"
  case noData = "no-data"
  case failed
}
