import DaemonRuntime
import Glibc
import Ground

/// The one way to wait for something that others do: look again until it holds.
package enum Wait {
  package static let patience = TimeSpan.seconds(60)

  /// What was waited for did not come. The bound is for a machine that is far too busy.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
    package init(description: String) { self.description = description }
  }

  /// `pause` is what happens between two looks: it returns when something may have changed, at the latest at the end.
  package static func until(
    _ what: String, within patience: TimeSpan = Wait.patience,
    pause: (_ end: Instant) throws -> Void = { _ in poll(nil, 0, 5) }, _ condition: () throws -> Bool
  ) throws {
    let end = Clock.monotonicNow + patience
    while try !condition() {
      guard Clock.monotonicNow < end else {
        throw Failure(
          description: "gave up after \(patience.nanoseconds / 1_000_000_000) s waiting for \(what)")
      }
      try pause(end)
    }
  }
}
