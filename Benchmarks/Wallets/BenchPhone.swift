import DaemonRuntime
import Ground

/// The iosd of all wallets of a run: it takes each push and notes when it came.
final class BenchPhone {
  let path: String
  private var listener: UnixListener?
  private(set) var pushes = 0
  private(set) var newest = Instant(nanoseconds: 0)

  init(path: String, loop: EventLoop) throws {
    self.path = path
    listener = try UnixListener(path: path, loop: loop) { [unowned self] client in
      client.onMessage = { [unowned self, unowned client] message in
        guard message.verb == "push" else { return }
        newest = Clock.monotonicNow
        pushes += 1
        client.send(ControlMessage("push", ["id": "\(pushes)"]))
      }
    }
  }

  func end() { listener?.shutDown() }
}
