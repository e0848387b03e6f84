import Glibc

/// A value that threads share. `Synchronization.Mutex` would do, but waits inside the Swift runtime, where the thread
/// sanitizer does not look: it would report what happens behind the lock as a race.
public final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  public init(_ value: sending Value) {
    self.value = value
    // Without attributes it cannot fail on Linux.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
