import Dispatch
import Synchronization

/// A value that another thread makes.
final class Meanwhile<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let group = DispatchGroup()

  init(_ make: @escaping @Sendable () throws -> Value) {
    DispatchQueue.global().async(group: group) { [self] in
      let made = Result(catching: make)
      result.withLock { $0 = made }
    }
  }

  /// Waits for it.
  func get() throws -> Value {
    group.wait()
    return try result.withLock { $0! }.get()
  }
}
