import Ground
import DaemonRuntime
import Glibc

/// Writes the cases of one suite as they come, from several threads, in constant memory. The head of the file has the
/// counts, so room is reserved for it. The file gets its name when it is complete.
package final class JUnitWriter: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var length = 0
    var counts = Counts()
    var hasFailed = false
  }

  package struct Counts: Equatable, Sendable {
    var tests = 0
    package var failures = 0
    var errors = 0
    package var skipped = 0
  }

  private static let headSize = 256
  private static let chunk = 65_536

  private let suite: String
  private let path: String
  private let file: UserFile
  private let start: Instant
  private let state = Locked(State())

  /// `start`: since when the suite has run.
  package init(
    _ path: String, suite: String, since start: Instant = Clock.monotonicNow
  ) throws(CommandFailure) {
    self.suite = suite
    self.start = start
    self.path = path
    file = try UserFile(path, mode: 0o644, "name another file with --junit")
    state.withLock { $0.waiting = Array(Self.head(suite, Counts(), took: .zero).utf8) }
  }

  package func add(_ one: JUnitFile.Case) {
    let text = one.text(of: suite)
    state.withLock { state in
      state.counts.tests += 1
      switch one.outcome {
      case .passed: break
      case .failed: state.counts.failures += 1
      case .error: state.counts.errors += 1
      case .skipped: state.counts.skipped += 1
      }
      state.waiting += text.utf8
      if state.waiting.count >= Self.chunk { flush(&state) }
    }
  }

  package var counts: Counts { state.withLock { $0.counts } }

  /// Completes the file; no case may be added afterwards.
  package func close() throws(CommandFailure) {
    let isWhole = state.withLock { state in
      state.waiting += "</testsuite>\n".utf8
      flush(&state)
      let head = Array(Self.head(suite, state.counts, took: Clock.monotonicNow - start).utf8)
      return !state.hasFailed && pwrite(file.descriptor, head, head.count, 0) == head.count
    }
    guard isWhole else {
      throw CommandFailure(
        .inputOutputError,
        "\(path.onOneLine) could not be written completely; free space, or name another file with --junit")
    }
    try file.complete()
  }

  private func flush(_ state: inout State) {
    if !writeAll(file.descriptor, state.waiting) { state.hasFailed = true }
    state.waiting.removeAll(keepingCapacity: true)
  }

  /// Always of the same length, padded by spaces.
  private static func head(_ suite: String, _ counts: Counts, took: TimeSpan) -> String {
    let head =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"baton \(suite)\" tests=\"\(counts.tests)\""
      + " failures=\"\(counts.failures)\" errors=\"\(counts.errors)\" skipped=\"\(counts.skipped)\""
      + " time=\"\(HumanText.seconds(took))\""
    return head + String(repeating: " ", count: max(0, headSize - head.utf8.count)) + ">\n"
  }
}
