import CoreShape

extension Instant {
  static let zero = Instant(nanoseconds: 0)
}
