import Ground
import Crypto
import DaemonRuntime
import Glibc
import Lightning
import TestKit

@testable import LightningIO

/// Two nodes on one event loop: `ours` dials, `theirs` listens.
class TransportSuite {
  let loop: EventLoop
  let anywhere: HostAndPort
  let ours: PrivateKey
  let theirs: PrivateKey

  init() throws {
    loop = try EventLoop()
    anywhere = try #require(HostAndPort("127.0.0.1:0"))
    ours = try #require(PrivateKey(SHA256.hash([1])))
    theirs = try #require(PrivateKey(SHA256.hash([2])))
  }

  func listen(
    _ limits: Doorkeeper.Limits = PeerListener.standardLimits, accepted: @escaping (PeerConnection) -> Void
  ) throws(SystemError) -> PeerListener {
    try PeerListener(anywhere, as: theirs, loop: loop, limits: limits, accepted: accepted)
  }

  func dial(_ place: HostAndPort, _ node: PublicKey? = nil) throws(SystemError) -> PeerConnection {
    try PeerConnection.dial(PeerAddress(node: node ?? theirs.publicKey, place: place), as: ours, loop: loop)
  }
}

@Suite(.serialized) final class PeerTransportTests: TransportSuite {
  private var listener: PeerListener?

  /// Both ends of a connection whose first message is sent.
  private func pair() throws -> (dialler: PeerConnection, acceptor: PeerConnection) {
    var accepted: PeerConnection?
    let listener = try listen { accepted = $0 }
    self.listener = listener
    let dialler = try dial(listener.address)
    var isConnected = false
    dialler.onConnected = {
      isConnected = true
      dialler.send([0])
    }
    dialler.start()
    #expect(try loop.run(for: .seconds(10)) { isConnected && accepted != nil })
    let acceptor = try #require(accepted)
    expect(acceptor.remote, is: ours.publicKey)
    expect(dialler.remote, is: theirs.publicKey)
    return (dialler, acceptor)
  }

  @Test func `Messages of 0 to 65535 bytes arrive whole and in order`() throws {
    let (dialler, acceptor) = try pair()
    let sizes = [0, 1, 2, 65535, 7, 65535, 300]
    var received: [[UInt8]] = []
    acceptor.onMessage = { received.append($0) }
    acceptor.start()
    for (number, size) in sizes.enumerated() { dialler.send([UInt8](repeating: UInt8(number), count: size)) }
    #expect(try loop.run(for: .seconds(10)) { received.count == sizes.count })
    expect(received.map(\.count), is: sizes)
    #expect(received.enumerated().allSatisfy { number, frame in frame.allSatisfy { $0 == UInt8(number) } })
    dialler.cutOff()
    acceptor.cutOff()
  }

  @Test func `A graceful close delivers all messages first, and each side reports the connection's end once`()
    throws
  {
    let (dialler, acceptor) = try pair()
    var frames = 0
    var ends: [String] = []
    acceptor.onMessage = { _ in frames += 1 }
    acceptor.onEnd = { ends.append("acceptor: \($0)") }
    dialler.onEnd = { ends.append("dialler: \($0)") }
    acceptor.start()
    for _ in 0..<100 { dialler.send([UInt8](repeating: 1, count: 30_000)) }
    dialler.hangUp()
    dialler.send([1])
    #expect(try loop.run(for: .seconds(10)) { ends.count == 2 })
    expect(frames, is: 100)
    expect(ends, is: ["acceptor: the peer disconnected", "dialler: disconnected in good order"])
    dialler.hangUp()
    acceptor.cutOff()
    expect(ends.count, is: 2)
  }

  @Test func `After cutOff no message is delivered, not even one already read`() throws {
    let (dialler, acceptor) = try pair()
    var frames = 0
    var dialled = ""
    acceptor.onMessage = { _ in
      frames += 1
      acceptor.cutOff()
    }
    dialler.onEnd = { dialled = $0.description }
    for _ in 0..<10 { dialler.send([1, 2, 3]) }
    acceptor.start()
    #expect(try loop.run(for: .seconds(10)) { !dialled.isEmpty })
    expect(frames, is: 1)
  }

  @Test func `A dial to a port without a listener ends with 'cannot reach the peer'`() throws {
    // The listener and its address are released at the end of this line.
    let address = try listen { _ in }.address
    var end = ""
    do {
      let dialler = try dial(address)
      dialler.onEnd = { end = $0.description }
      dialler.start()
      #expect(try loop.run(for: .seconds(10)) { !end.isEmpty })
    } catch { end = error.description }
    #expect(end.hasPrefix("cannot reach the peer"))
    #expect(HostAndPort("not-a-number:1") == nil)
  }

  @Test func `A thousand small messages are delivered in portions over several event loop turns`() throws {
    let (dialler, acceptor) = try pair()
    var frames = 0
    var framesAtTurn: [Int] = []
    acceptor.onMessage = { _ in frames += 1 }
    acceptor.start()
    for _ in 0..<1000 { dialler.send([7]) }
    let end = loop.now + .seconds(10)
    while frames < 1000, loop.now < end {
      try loop.turn(waitingMilliseconds: 100)
      framesAtTurn.append(frames)
    }
    expect(frames, is: 1000)
    // One turn may read and deliver: 32 messages each.
    #expect(zip([0] + framesAtTurn, framesAtTurn).allSatisfy { $1 - $0 <= 64 })
    dialler.cutOff()
    acceptor.cutOff()
  }

  @Test func `Messages received before a graceful close are delivered before the end`() throws {
    let (dialler, acceptor) = try pair()
    var events: [String] = []
    acceptor.onMessage = { _ in events.append("frame") }
    acceptor.onEnd = { events.append($0.description) }
    for _ in 0..<500 { dialler.send([7]) }
    dialler.hangUp()
    acceptor.start()
    #expect(try loop.run(for: .seconds(10)) { events.last == "the peer disconnected" })
    expect(events.count, is: 501)
  }

  @Test func `A late reader gets each message, whole and in order`() throws {
    let (dialler, acceptor) = try pair()
    // The smallest send buffer: the kernel does not take all messages at once.
    var size: Int32 = 1
    setsockopt(dialler.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var received: [[UInt8]] = []
    // The acceptor does not read yet: messages stay in the kernel, then in the dialler.
    loop.unwatch(acceptor.descriptor)
    let messages = (0..<12).map { [UInt8](repeating: UInt8($0), count: 65_000) }
    for message in messages { dialler.send(message) }
    acceptor.onMessage = { received.append($0) }
    acceptor.start()
    #expect(try loop.run(for: .seconds(60)) { received.count == messages.count })
    expect(received, is: messages)
    dialler.cutOff()
    acceptor.cutOff()
  }

  @Test func `After a graceful close earlier messages are still sent, and later ones are not`() throws {
    let (dialler, acceptor) = try pair()
    var size: Int32 = 1
    setsockopt(dialler.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    loop.unwatch(acceptor.descriptor)
    for _ in 0..<12 { dialler.send([UInt8](repeating: 1, count: 65_000)) }
    dialler.hangUp()
    dialler.send([9])
    var received: [Int] = []
    var ends: [String] = []
    acceptor.onMessage = { received.append($0.count) }
    acceptor.onEnd = { ends.append($0.description) }
    dialler.onEnd = { ends.append($0.description) }
    acceptor.start()
    #expect(try loop.run(for: .seconds(60)) { ends.count == 2 })
    expect(received, is: Array(repeating: 65_000, count: 12))
    expect(Set(ends), is: ["the peer disconnected", "disconnected in good order"])
  }

  @Test
  func `The time limit of one message does not end a stream in which some message is always incomplete`()
    throws
  {
    var ends = [Int32](repeating: -1, count: 2)
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let descriptor = ends[1]
    defer { close(descriptor) }
    let acceptor = PeerConnection(accepted: ends[0], as: theirs, loop: loop)
    acceptor.frameWithin = .seconds(4)
    var (isConnected, received) = (false, 0)
    var ended: [PeerConnection.End] = []
    acceptor.onConnected = { isConnected = true }
    acceptor.onMessage = { _ in received += 1 }
    acceptor.onEnd = { ended.append($0) }
    acceptor.start()
    func say(_ bytes: some Collection<UInt8>) {
      expect(send(descriptor, Array(bytes), bytes.count, Int32(MSG_NOSIGNAL)), is: bytes.count)
    }
    var act: [UInt8] = []
    var client = SecureChannel(
      dialling: theirs.publicKey, as: ours, ephemeral: try PrivateKey.ephemeral(), opening: &act)
    say(act)
    var answer = [UInt8](repeating: 0, count: 100)
    var count = 0
    #expect(
      try loop.run(for: .seconds(60)) {
        count = recv(descriptor, &answer, answer.count, 0)
        return count > 0
      })
    client.append(answer[..<count])
    guard case .handshake(let reply, _)? = try client.next() else { throw CancellationError() }
    say(reply)
    #expect(try loop.run(for: .seconds(60)) { isConnected })
    // Each piece is the rest of one message and the beginning of the next.
    let first = client.seal([7])
    var unsaid = try #require(first)[...]
    let end = loop.now + .milliseconds(4400)
    var said = 0
    while loop.now < end, ended.isEmpty {
      let sealed = client.seal([7])
      let next = try #require(sealed)
      say(unsaid + next.prefix(10))
      unsaid = next.dropFirst(10)
      said += 1
      #expect(try loop.run(for: .seconds(3)) { received == said || !ended.isEmpty })
      _ = try loop.run(for: .milliseconds(100)) { !ended.isEmpty }
    }
    expect(ended, is: [])
    #expect(received == said && said > 2)
    acceptor.cutOff()
  }

  @Test func `A peer that never reads is disconnected`() throws {
    let (dialler, acceptor) = try pair()
    var end = ""
    dialler.onEnd = { end = $0.description }
    for _ in 0..<1000 where end.isEmpty { dialler.send([UInt8](repeating: 1, count: 65535)) }
    expect(end, is: "the peer does not read")
    acceptor.cutOff()
  }
}
