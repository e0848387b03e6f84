import Ground

extension Instant { static let zero = Instant(nanoseconds: 0) }
