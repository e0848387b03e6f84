import CLinux
import Ground
import Glibc

/// One thread beside an event loop, for work that may wait long for a disk. It is made at the first work, does one work
/// after the other, and has the loop called with each answer: no handler ever runs on it.
public final class SideThread {
  private typealias Work = @Sendable () -> Void

  /// What both threads share.
  private final class Queue: @unchecked Sendable {
    private var waiting: [Work] = []
    private var isClosed = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Counts the work that is done.
    let done: Int32

    init(done: Int32) {
      self.done = done
      // These cannot fail on Linux without attributes.
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
      close(done)
    }

    func add(_ work: @escaping Work) {
      pthread_mutex_lock(mutex)
      waiting.append(work)
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    func closeDoor() {
      pthread_mutex_lock(mutex)
      isClosed = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    /// The thread's life.
    func serve() {
      while let work = next() {
        work()
        var one: UInt64 = 1
        _ = write(done, &one, MemoryLayout<UInt64>.size)
      }
    }

    private func next() -> Work? {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while waiting.isEmpty && !isClosed { pthread_cond_wait(condition, mutex) }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  /// SQLite and the Swift runtime need a fraction of it.
  private static let stackBytes = 512 * 1024
  /// Each waiting work keeps some memory.
  public static let most = 256

  private let loop: EventLoop
  private var queue: Queue?
  /// What the loop does with the answers, in the order of the work.
  private var answers: [() -> Void] = []

  public init(loop: EventLoop) { self.loop = loop }

  deinit {
    guard let queue else { return }
    queue.closeDoor()
    loop.unwatch(queue.done)
  }

  /// `done` is called by the loop with the answer of `work`. Throws if there can be no thread, or too much work waits.
  public func perform<Answer: Sendable>(
    _ work: @escaping @Sendable () -> Answer, then done: @escaping (Answer) -> Void
  ) throws(SystemError) {
    if answers.count >= Self.most { throw SystemError("give a thread more work", code: EAGAIN) }
    let queue = try started()
    let answer = Locked<Answer?>(nil)
    answers.append { if let answer = answer.withLock({ $0 }) { done(answer) } }
    queue.add {
      let value = work()
      answer.withLock { $0 = value }
    }
  }

  /// For the end of the process: waits until all work is done, but no longer than this, and drops the answers. Returns
  /// whether all is done.
  @discardableResult public func finish(within span: TimeSpan) -> Bool {
    let end = Clock.monotonicNow + span
    while let queue, !answers.isEmpty, Clock.monotonicNow < end {
      var wait = pollfd(fd: queue.done, events: Int16(POLLIN), revents: 0)
      _ = poll(&wait, 1, Int32(clamping: (end - Clock.monotonicNow).wholeMilliseconds + 1))
      _ = readyAnswers()
    }
    return answers.isEmpty
  }

  private func started() throws(SystemError) -> Queue {
    if let queue { return queue }
    let done = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if done < 0 { throw SystemError("make an event counter") }
    let made = Queue(done: done)
    try loop.watch(done, .readable) { [unowned self] _ in for answer in readyAnswers() { answer() } }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    var thread = pthread_t()
    let handle = Unmanaged.passRetained(made)
    let code = pthread_create(
      &thread, &attributes,
      { handle in
        if let handle { Unmanaged<Queue>.fromOpaque(handle).takeRetainedValue().serve() }
        return nil
      }, handle.toOpaque())
    guard code == 0 else {
      handle.release()
      loop.unwatch(done)
      throw SystemError("start a thread", code: code)
    }
    queue = made
    return made
  }

  private func readyAnswers() -> [() -> Void] {
    let size = MemoryLayout<UInt64>.size
    var count: UInt64 = 0
    guard let queue, read(queue.done, &count, size) == size else { return [] }
    let ready = Array(answers.prefix(Int(clamping: count)))
    answers.removeFirst(ready.count)
    return ready
  }
}
