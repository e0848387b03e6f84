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

/// Waits for changes in directories, by inotify.
package final class DirectoryWatch {
  package let descriptor: Int32
  private var watched: [String: Int32] = [:]

  private let seesCloses: Bool

  /// `seesCloses`: also the closing of a file that was open for writing. SQLite opens its log so even to read it: a
  /// watcher that reads databases would wake itself.
  package init(_ directories: [String], seesCloses: Bool = true) throws(SystemError) {
    self.seesCloses = seesCloses
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { throw SystemError("watch files") }
    for directory in directories { add(directory) }
  }

  deinit { close(descriptor) }

  /// A missing directory is not watched; call again when its parent has changed.
  package func add(_ directory: String) {
    let closes = seesCloses ? IN_CLOSE_WRITE : 0
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_MODIFY | closes | IN_DELETE)
    let watch = inotify_add_watch(descriptor, directory, mask)
    if watch >= 0 { watched[directory] = watch }
  }

  package func isWatching(_ directory: String) -> Bool { watched[directory] != nil }

  /// Returns when something changed, when one of `others` is readable, or at the deadline; false if the reading end of
  /// `reader` is closed.
  @discardableResult package func wait(
    until deadline: Instant, alsoFor others: [Int32] = [], reader: Int32 = -1
  ) throws(SystemError) -> Bool {
    let left = (deadline - Clock.monotonicNow).wholeMilliseconds
    var waiting = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // Without requested events `poll` still reports a pipe without a reader (POLLERR) and a closed terminal (POLLHUP).
    waiting.append(pollfd(fd: reader, events: 0, revents: 0))
    let count = poll(&waiting, nfds_t(waiting.count), Int32(clamping: max(1, left + 1)))
    if count < 0 && errno != EINTR { throw SystemError("wait for files") }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    // What exactly changed does not matter: the caller checks again.
    while read(descriptor, &buffer, buffer.count) > 0 {}
    return (waiting.last?.revents ?? 0) & Int16(POLLERR | POLLHUP) == 0
  }
}
