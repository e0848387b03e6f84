import Ground
import DaemonRuntime
import Glibc

/// One real process with its channel to us.
final class WalletRun {
  let startedAt: Instant
  private let child: ChildProcess
  private let connection: UnixConnection?
  private var messages: [ControlMessage] = []
  private(set) var end: ChildEnd?

  private static let devNull = open("/dev/null", O_WRONLY | O_CLOEXEC)

  init(_ path: String, _ arguments: [String], loop: EventLoop, clock: Clock) throws {
    var options = ChildProcess.Options()
    options.output = Self.devNull
    startedAt = clock.now
    child = try ChildProcess.start(path, arguments: arguments, boot: clock.boot, options: options)
    connection = UnixConnection(adopting: child.channel, loop: loop)
    connection?.onMessage = { [weak self] in self?.messages.append($0) }
    connection?.start()
    try loop.watchProcess(child.pidfd) { [weak self] in self?.reap() }
  }

  var pid: Int32 { child.identity.pid }
  var hasGreeted: Bool { messages.contains { $0.verb == "hello" } }
  var status: String { messages.last { $0.verb == "status" }?["text"] ?? "" }
  var isConnected: Bool { status.hasPrefix("connected") }

  func count(_ verb: String) -> Int { messages.count { $0.verb == verb } }

  func ask(_ request: String, _ message: ControlMessage) {
    send(ControlMessage("ask", ["request": request], body: (try? message.encoded()) ?? []))
  }

  func answer(to request: String) -> ControlMessage? {
    let answer = messages.last { $0.verb == "answer" && $0["request"] == request }
    return answer.flatMap { try? ControlMessage(decoding: $0.body) }
  }

  func send(_ message: ControlMessage) { connection?.send(message) }
  func kill(_ signal: Int32) { child.send(signal) }

  func reap() {
    guard end == nil else { return }
    end = ChildEnd.reap(pid)
    close(child.pidfd)
  }

  /// A figure of `/proc/PID/status` in kilobytes, such as the most that was resident at once.
  func kilobytes(_ name: String) -> Int64? {
    let line = Stage.text("/proc/\(pid)/status")?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
  }
}
