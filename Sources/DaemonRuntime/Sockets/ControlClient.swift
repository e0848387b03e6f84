import CLinux
import Ground
import Glibc

/// Sends requests to a daemon's control socket and blocks for the answer; for command-line programs.
public final class ControlClient {
  private let descriptor: Int32
  private let path: String

  /// `daemon` is the name in messages: "iosd".
  public init(path text: String, daemon: String, timeout: TimeSpan = .seconds(5)) throws(ControlClientError) {
    path = text
    let milliseconds = max(1, min(timeout.wholeMilliseconds, 86_400_000))
    do throws(SystemError) {
      descriptor = try UnixPath(text).connect(blockingMilliseconds: milliseconds)
    } catch { throw .notRunning(daemon: daemon, path: text) }
    if descriptor < 0 { throw ControlClientError(connectTo: daemon, path: text) }
    // Check before the first message: a socket of another user would receive everything meant for the daemon.
    guard let peer = PeerCredentials(of: descriptor), peer.isOurs else {
      throw .foreign(daemon: daemon, path: text, user: PeerCredentials(of: descriptor)?.user)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The listener's pid; nil if the kernel does not report it.
  public var listener: Int32? { PeerCredentials(of: descriptor)?.pid }

  /// Sends one message and returns the next one received. An `error` answer is thrown as `refused`, or as
  /// `outcomeUnknown`.
  public func request(
    _ message: ControlMessage, timeout: TimeSpan = .seconds(30)
  ) throws(ControlClientError) -> ControlMessage {
    do throws(ControlClientError) {
      try send(message, timeout: timeout)
    } catch .hungUp {
      // A daemon that closed the connection before our request may have sent the reason: read it.
    }
    let answer = try receive(timeout: timeout)
    guard let sentence = answer.errorSentence else { return answer }
    throw answer.leavesOutcomeUnknown ? .outcomeUnknown(sentence) : .refused(sentence)
  }

  public func send(_ message: ControlMessage, timeout: TimeSpan = .seconds(30)) throws(ControlClientError) {
    let bytes: [UInt8]
    do throws(ControlMessageError) { bytes = try message.encoded() } catch { throw .malformed(error) }
    let end = Clock.monotonicNow + timeout
    while Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN: try wait(for: POLLOUT, until: end)
      case EPIPE, ECONNRESET: throw .hungUp(path: path)
      default: throw .system(SystemError("send to \(path)"))
      }
    }
  }

  public func receive(timeout: TimeSpan = .seconds(30)) throws(ControlClientError) -> ControlMessage {
    let end = Clock.monotonicNow + timeout
    var buffer = [UInt8](repeating: 0, count: ControlMessage.maximumSize)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC))
      if count < 0 {
        switch errno {
        // A reset is reported once, before the last message, which can still be read.
        case EINTR, ECONNRESET: continue
        case EAGAIN: try wait(for: POLLIN, until: end)
        default: throw .system(SystemError("receive from \(path)"))
        }
        continue
      }
      if count == 0 { throw .hungUp(path: path) }
      if count > buffer.count { throw .malformed(.tooLarge(bytes: count)) }
      do throws(ControlMessageError) {
        return try ControlMessage(decoding: Array(buffer[..<count]))
      } catch { throw .malformed(error) }
    }
  }

  private func wait(for events: Int32, until end: Instant) throws(ControlClientError) {
    while true {
      let left = (end - Clock.monotonicNow).nanoseconds
      if left <= 0 { throw .timedOut(path: path) }
      var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let milliseconds = min((left - 1) / 1_000_000 + 1, Int64(Int32.max))
      let count = poll(&waiting, 1, Int32(milliseconds))
      if count > 0 { return }
      if count < 0 && errno != EINTR { throw .system(SystemError("wait for \(path)")) }
    }
  }
}
