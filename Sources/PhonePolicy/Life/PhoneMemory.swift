import Ground

// The app has no limit as the extension has, but it is warned.
extension Phone {
  /// Once, and again only after it has fallen below. Who is stopped is told nothing.
  mutating func warnOfMemory(_ footprint: UInt64) -> [PhoneDirective] {
    guard footprint > configuration.memoryWarningBytes else {
      isAppWarned = false
      return []
    }
    guard app.isUsable, !isAppWarned else { return [] }
    isAppWarned = true
    return [.tell(.app, .memoryWarning(footprintBytes: footprint))]
  }
}
