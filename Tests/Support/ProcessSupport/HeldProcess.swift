import Ground
import DaemonRuntime
import Glibc

/// One real process whose channel to the phone is held by the test.
package final class HeldProcess {
  package let child: ChildProcess
  package let startedAt: Instant
  private let connection: UnixConnection?
  package private(set) var messages: [(at: Instant, message: ControlMessage)] = []
  package private(set) var end: ChildEnd?
  package private(set) var endedAt: Instant?

  package init(_ path: String, _ arguments: [String], loop: EventLoop, clock: Clock) throws {
    var options = ChildProcess.Options()
    options.output = Self.devNull
    startedAt = clock.now
    child = try ChildProcess.start(path, arguments: arguments, boot: clock.boot, options: options)
    connection = UnixConnection(adopting: child.channel, loop: loop)
    connection?.onMessage = { [unowned self] in messages.append((clock.now, $0)) }
    connection?.start()
    try loop.watchProcess(child.pidfd) { [unowned self] in
      endedAt = clock.now
      // Its last messages may still lie in the socket.
      connection?.drain()
      reap()
    }
  }

  /// The pidfd is needed for signals until the process has ended.
  deinit { if hasEnded { close(child.pidfd) } }

  private static let devNull = open("/dev/null", O_WRONLY | O_CLOEXEC)

  package var pid: Int32 { child.identity.pid }
  package var hasSaidHello: Bool { messages.contains { $0.message.verb == "hello" } }
  package var hasEnded: Bool { end != nil }

  package var statuses: [String] {
    messages.filter { $0.message.verb == "status" }.compactMap { $0.message["text"] }
  }
  package var status: String { statuses.last ?? "" }
  package var isConnected: Bool { status.hasPrefix("connected") }
  package var epoch: UInt64? {
    messages.last { $0.message.verb == "status" }?.message["epoch"].flatMap { UInt64($0) }
  }

  package func count(_ verb: String) -> Int { messages.filter { $0.message.verb == verb }.count }

  package func message(_ verb: String, id: UInt64) -> ControlMessage? {
    messages.first { $0.message.verb == verb && $0.message["id"] == "\(id)" }?.message
  }

  /// A user's request, as iosd passes it on.
  package func ask(_ request: String, _ message: ControlMessage) {
    send(ControlMessage("ask", ["request": request], body: (try? message.encoded()) ?? []))
  }

  package func answer(to request: String) -> ControlMessage? {
    let answer = messages.first { $0.message.verb == "answer" && $0.message["request"] == request }
    return answer.flatMap { try? ControlMessage(decoding: $0.message.body) }
  }

  package func instant(ofStatus prefix: String, after: Instant = Instant(nanoseconds: 0)) -> Instant? {
    messages.first { $0.at >= after && $0.message["text"]?.hasPrefix(prefix) == true }?.at
  }

  package func send(_ message: ControlMessage) { connection?.send(message) }

  /// Bytes that need not be a message.
  package func send(raw bytes: [UInt8]) {
    Glibc.send(child.channel, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }

  /// Closes the channel, as a killed iosd does.
  package func hangUp() { connection?.close() }

  package func kill(_ signal: Int32) { child.send(signal) }

  package func reap() {
    if end == nil { end = ChildEnd.reap(pid) }
  }
}
