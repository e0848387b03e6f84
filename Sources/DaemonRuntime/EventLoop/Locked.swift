import Glibc

/// A value shared by threads. `Synchronization.Mutex` waits inside the Swift runtime, which the thread sanitizer
/// does not instrument: it would report guarded accesses as races.
public final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  public init(_ value: sending Value) {
    self.value = value
    // Cannot fail on Linux without attributes.
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
