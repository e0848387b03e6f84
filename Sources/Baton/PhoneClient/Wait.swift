import DaemonRuntime
import Glibc
import Ground

/// Waits for a condition by polling.
package enum Wait {
  package static let timeout = TimeSpan.seconds(60)

  /// The condition did not hold in time. The limit allows for a very busy machine.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
    package init(description: String) { self.description = description }
  }

  /// `pause` runs between two checks: it returns when something may have changed, at the latest at `end`.
  package static func until(
    _ what: String, within timeout: TimeSpan = Wait.timeout,
    pause: (_ end: Instant) throws -> Void = { _ in poll(nil, 0, 5) }, _ condition: () throws -> Bool
  ) throws {
    let end = Clock.monotonicNow + timeout
    while try !condition() {
      guard Clock.monotonicNow < end else {
        throw Failure(
          description: "gave up after \(timeout.nanoseconds / 1_000_000_000) s waiting for \(what)")
      }
      try pause(end)
    }
  }
}
