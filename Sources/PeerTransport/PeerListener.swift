import CLinux
import CoreShape
import DaemonRuntime
import Glibc

/// Takes connections of wallets.
public final class PeerListener {
  private static let pauseWithoutDescriptors = Span.milliseconds(100)

  public let address: HostAndPort
  private let descriptor: Int32
  private let loop: EventLoop
  private let accepted: (PeerConnection) -> Void

  /// Port 0 takes any free one; `address` says which.
  public init(
    _ wanted: HostAndPort, loop: EventLoop, accepted: @escaping (PeerConnection) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.accepted = accepted
    descriptor = try PeerSocket.make()
    do throws(SystemError) {
      address = try PeerSocket.listen(descriptor, on: wanted)
    } catch {
      close(descriptor)
      throw error
    }
    // From here on the value is complete: a throw runs `deinit`, which closes the socket.
    try watch()
  }

  deinit {
    loop.unwatch(descriptor)
    close(descriptor)
  }

  private func watch() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptAll() }
  }

  /// Without descriptors to spare the waiting connection stays where it is, and the socket readable: the loop
  /// would do nothing else any more.
  private func pause() {
    loop.unwatch(descriptor)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in try? self?.watch() }
  }

  private func acceptAll() {
    while true {
      let socket = baton_accept(descriptor)
      if socket < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno != EAGAIN { pause() }
        return
      }
      PeerSocket.sendAtOnce(socket)
      accepted(PeerConnection(descriptor: socket, loop: loop, isConnecting: false))
    }
  }
}
