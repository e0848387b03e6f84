import Ground

/// The app is at work on what the person did with a notification.
public struct OpenResponse: Hashable, Codable, Sendable {
  var id: UInt64
  var endsBy: Instant
}
