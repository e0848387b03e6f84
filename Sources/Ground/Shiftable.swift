/// A value with instants that can all be shifted in time.
///
/// A core depends only on differences of instants: shifted together with its environment, it behaves the same. So an
/// explorer can recognise a state that it has visited at an earlier time.
package protocol Shiftable { mutating func shift(by span: TimeSpan) }

extension Instant: Shiftable {
  /// `.max` stays.
  package mutating func shift(by span: TimeSpan) {
    if nanoseconds != .max { self = self + span }
  }

  package func shifted(by span: TimeSpan) -> Instant { nanoseconds != .max ? self + span : self }
}

extension Optional: Shiftable where Wrapped: Shiftable {
  package mutating func shift(by span: TimeSpan) { self?.shift(by: span) }
}
