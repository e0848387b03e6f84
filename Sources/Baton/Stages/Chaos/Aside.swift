import DaemonRuntime
import Foundation

/// Work in a thread of its own.
final class Aside<Answer: Sendable>: Sendable {
  private let state = Locked<Result<Answer, any Error>?>(nil)

  init(_ work: @escaping @Sendable () throws -> Answer) {
    Thread { [state] in
      let result = Result(catching: work)
      state.withLock { $0 = result }
    }.start()
  }

  /// Nil until it has ended.
  var result: Result<Answer, any Error>? { state.withLock { $0 } }
}
