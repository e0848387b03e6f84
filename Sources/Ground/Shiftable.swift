/// A value that knows instants, and can be moved in time as a whole.
///
/// A core knows nothing but differences of instants: moved together with everything around it, it does the same. That
/// is what lets an explorer see that it has been somewhere before, only earlier.
package protocol Shiftable {
  mutating func shift(by span: TimeSpan)
}

extension Instant: Shiftable {
  /// The end of all time stays where it is.
  package mutating func shift(by span: TimeSpan) {
    if nanoseconds != .max { self = self + span }
  }
}

extension Optional: Shiftable where Wrapped: Shiftable {
  package mutating func shift(by span: TimeSpan) { self?.shift(by: span) }
}
