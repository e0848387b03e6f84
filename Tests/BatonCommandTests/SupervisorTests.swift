import DaemonRuntime
import Glibc
import Ground

@testable import Baton

@Suite struct SupervisorTests {
  /// Made by one thread while another waits for it in the lock of Swift's runtime.
  private enum Shared {
    static let waiting = Locked<String?>(nil)

    static let value: Int32 = {
      while !isAsleep(waiting.withLock { $0 }) { poll(nil, 0, 1) }
      return 7
    }()

    /// The thread's name below `/proc`.
    static var thread: String {
      var name = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/thread-self", &name, name.count)
      return String(decoding: name.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func isAsleep(_ thread: String?) -> Bool {
      thread.flatMap { try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8) }?.contains(") S ")
        ?? false
    }
  }

  @Test func `Threads of a supervised command can wait for each other in a lock of Swift's runtime`()
    async throws
  {
    await #expect(processExitsWith: .exitCode(7)) {
      alarm(60)
      Supervisor.run(Supervision(name: "test", isLooking: true, needsPlace: false)) { _ in
        var other = pthread_t()
        pthread_create(
          &other, nil,
          { _ in
            Shared.waiting.withLock { $0 = Shared.thread }
            _ = Shared.value
            return nil
          }, nil)
        defer { pthread_join(other, nil) }
        return Shared.value
      }
    }
  }
}
