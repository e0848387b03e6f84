import CLinux
import Ground
import DaemonRuntime
import Glibc

/// A proxy between a wallet and its peer, on the test's loop: every connection dialled here goes through one
/// `BadWire`.
package final class BadWireProxy {
  package let place: HostAndPort
  package private(set) var connections = 0
  private let target: sockaddr_in
  private let habits: (Int) -> BadWire.Habits
  private let loop: EventLoop
  private let descriptor: Int32
  private var lines: [Int: Line] = [:]

  /// `habits` gets the connection's number, from 1 on.
  package init(to target: HostAndPort, loop: EventLoop, habits: @escaping (Int) -> BadWire.Habits) throws {
    self.loop = loop
    self.habits = habits
    self.target = Self.address(target.host, target.port)
    descriptor = socket(AF_INET, Self.kind, 0)
    guard descriptor >= 0, let place = Self.listen(descriptor) else { throw SystemError("listen") }
    self.place = place
    try loop.watch(descriptor, .readable) { [unowned self] _ in accept() }
  }

  deinit {
    loop.unwatch(descriptor)
    close(descriptor)
  }

  fileprivate static let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }

  private static func listen(_ descriptor: Int32) -> HostAndPort? {
    var any = address("127.0.0.1", 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &any) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    return isListening ? HostAndPort("127.0.0.1:\(UInt16(bigEndian: any.sin_port))") : nil
  }

  private func accept() {
    let dialled = baton_accept(descriptor)
    guard dialled >= 0 else { return }
    let onward = socket(AF_INET, Self.kind, 0)
    var target = target
    _ = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(onward, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    connections += 1
    let number = connections
    lines[number] = Line(
      dialled, onward, BadWire(habits(number), seed: UInt64(number)), loop
    ) { [weak self] in self?.lines[number] = nil }
  }
}

/// The two sockets of one connection.
private final class Line {
  private struct Side {
    let descriptor: Int32
    var unsent: [UInt8] = []
    /// This side has closed.
    var hasEnded = false
    /// This side is to be closed once `unsent` is empty.
    var isToldOfTheEnd = false
    var isShut = false
  }

  private var sides: [BadWire.End: Side]
  private var wire: BadWire
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var onEnd: (() -> Void)?

  init(_ dialled: Int32, _ onward: Int32, _ wire: BadWire, _ loop: EventLoop, onEnd: @escaping () -> Void) {
    sides = [.dialler: Side(descriptor: dialled), .listener: Side(descriptor: onward)]
    self.wire = wire
    self.loop = loop
    self.onEnd = onEnd
    for end in [BadWire.End.dialler, .listener] {
      var on: Int32 = 1
      setsockopt(
        sides[end]!.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      try? loop.watch(sides[end]!.descriptor, interest(end)) { [unowned self] in ready(end, $0) }
    }
  }

  deinit {
    timer?.cancel()
    for side in sides.values { close(side.descriptor) }
  }

  private func interest(_ end: BadWire.End) -> EventLoop.Readiness {
    var interest: EventLoop.Readiness = sides[end]!.hasEnded ? [] : .readable
    if !sides[end]!.unsent.isEmpty { interest.insert(.writable) }
    return interest
  }

  private func ready(_ end: BadWire.End, _ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) { flush(end) }
    guard !readiness.isDisjoint(with: [.readable, .hangUp, .error]), onEnd != nil, !sides[end]!.hasEnded
    else { return }
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(sides[end]!.descriptor, &buffer, buffer.count, 0)
    if count > 0 { return tell(.came(from: end, Array(buffer[..<count]))) }
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    guard count == 0 else { return finish() }
    sides[end]!.hasEnded = true
    tell(.closed(end))
  }

  private func tell(_ event: BadWire.Event) {
    for directive in wire.handle(event, at: loop.now) {
      switch directive {
      case .pass(let end, let bytes):
        sides[end]?.unsent += bytes
        flush(end)
      case .close(let end):
        sides[end]?.isToldOfTheEnd = true
        flush(end)
      case .cut: return finish()
      }
      if onEnd == nil { return }
    }
    timer?.cancel()
    timer = wire.deadline.map { loop.at($0) { [weak self] in self?.tell(.deadlineReached) } }
    for end in [BadWire.End.dialler, .listener] {
      try? loop.change(sides[end]!.descriptor, to: interest(end))
    }
    if sides.values.allSatisfy({ $0.hasEnded && $0.isShut }) { finish() }
  }

  private func flush(_ end: BadWire.End) {
    guard var side = sides[end] else { return }
    while !side.unsent.isEmpty {
      let count = send(side.descriptor, side.unsent, side.unsent.count, Int32(MSG_NOSIGNAL))
      if count < 0 && errno == EINTR { continue }
      // Not connected yet counts as full.
      if count < 0 && (errno == EAGAIN || errno == ENOTCONN) { break }
      if count < 0 { return finish() }
      side.unsent.removeFirst(count)
    }
    if side.isToldOfTheEnd, side.unsent.isEmpty, !side.isShut {
      side.isShut = true
      shutdown(side.descriptor, Int32(SHUT_WR))
    }
    sides[end] = side
    try? loop.change(side.descriptor, to: interest(end))
  }

  /// A reset, so that a waiting reader ends at once.
  private func finish() {
    guard let handler = onEnd else { return }
    onEnd = nil
    timer?.cancel()
    for side in sides.values { loop.unwatch(side.descriptor) }
    handler()
  }
}
