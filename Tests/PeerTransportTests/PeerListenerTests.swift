import Crypto
import DaemonRuntime
import Glibc
import Ground
import Lightning
import TestKit

@testable import LightningIO

@Suite("The peer's listener", .serialized) final class PeerListenerTests: TransportSuite {
  /// An unknown client: a plain socket without our connection code.
  private func openSocket(to address: HostAndPort, sending bytes: [UInt8] = []) throws -> Int32 {
    var place = try TCPSocket.address(of: address)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let result = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
    if !bytes.isEmpty { send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    return descriptor
  }

  /// A wallet that completes the handshake and sends these messages at once.
  private func dial(_ listener: PeerListener, sending messages: [[UInt8]]) throws -> PeerConnection {
    let wallet = try dial(listener.address)
    wallet.onConnected = { for message in messages { wallet.send(message) } }
    wallet.start()
    return wallet
  }

  private func isClosed(_ descriptor: Int32) throws -> Bool {
    var byte: UInt8 = 0
    return try loop.run(for: .seconds(60)) {
      let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
      if count == 0 || count < 0 && errno == ECONNRESET { return true }
      loop.after(.milliseconds(1)) {}
      return false
    }
  }

  @Test(arguments: [[], [0], [0] + [UInt8](repeating: 2, count: 48)] as [[UInt8]])
  func
    `A client that does not finish its handshake in time is disconnected and never reported as a connection`(
      _ beginning: [UInt8]
    ) throws
  {
    var limits = PeerListener.standardLimits
    limits.firstMessageWithin = .milliseconds(20)
    var accepted = 0
    let listener = try listen(limits) { _ in accepted += 1 }
    let client = try openSocket(to: listener.address, sending: beginning)
    #expect(try isClosed(client))
    expect(accepted, is: 0)
    close(client)
  }

  @Test func `A wallet connects while unknown clients hold connections open`() throws {
    var limits = PeerListener.standardLimits
    limits.connectionsMax = 4
    var frames: [[UInt8]] = []
    let listener = try listen(limits) { connection in
      connection.onMessage = { frames.append($0) }
    }
    let clients = try (0..<20).map { _ in try openSocket(to: listener.address) }
    let wallet = try dial(listener, sending: [[8, 9], [5]])
    defer { wallet.cutOff() }
    #expect(try loop.run(for: .seconds(60)) { frames.count == 2 })
    expect(frames, is: [[8, 9], [5]])
    // The first clients made room for the wallet; the last one is still connected.
    #expect(try isClosed(clients[0]))
    var byte: UInt8 = 0
    #expect(recv(clients[19], &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN)
    for client in clients { close(client) }
  }

  @Test func `Unknown clients do not displace a wallet between act 1 of its handshake and its first message`()
    throws
  {
    var limits = PeerListener.standardLimits
    limits.connectionsMax = 4
    var received: [[UInt8]] = []
    let listener = try listen(limits) { connection in
      connection.onMessage = { received.append($0) }
    }
    var opening: [UInt8] = []
    var wallet = SecureChannel(
      dialling: theirs.publicKey, as: ours, ephemeral: try PrivateKey.ephemeral(), opening: &opening)
    let socket = try openSocket(to: listener.address, sending: opening)
    var actTwo = [UInt8](repeating: 0, count: 50)
    var count = 0
    #expect(
      try loop.run(for: .seconds(60)) {
        count = recv(socket, &actTwo, actTwo.count, Int32(MSG_DONTWAIT))
        if count < 0 { loop.after(.milliseconds(1)) {} }
        return count == actTwo.count
      })
    let clients = try (0..<20).map { _ in try openSocket(to: listener.address) }
    #expect(try isClosed(clients[0]))
    wallet.append(actTwo[...])
    guard case .handshake(let actThree, _)? = try wallet.next() else { throw TransportError.badTag(act: 2) }
    let sealed = wallet.seal([7])
    let last = actThree + (try #require(sealed))
    send(socket, last, last.count, Int32(MSG_NOSIGNAL))
    #expect(try loop.run(for: .seconds(60)) { received == [[7]] })
    for descriptor in clients + [socket] { close(descriptor) }
  }

  @Test func `A client that sends only the first act is disconnected at the time limit`() throws {
    var limits = PeerListener.standardLimits
    limits.firstMessageWithin = .milliseconds(30)
    var accepted = 0
    let listener = try listen(limits) { _ in accepted += 1 }
    var opening: [UInt8] = []
    _ = SecureChannel(dialling: theirs.publicKey, as: ours, ephemeral: ours, opening: &opening)
    let silent = try openSocket(to: listener.address, sending: opening)
    #expect(try isClosed(silent))
    expect(accepted, is: 0)
    close(silent)
  }

  @Test func `A client that replays a first act is disconnected without an answer`() throws {
    let listener = try listen { _ in }
    var opening: [UInt8] = []
    _ = SecureChannel(dialling: theirs.publicKey, as: ours, ephemeral: ours, opening: &opening)
    let first = try openSocket(to: listener.address, sending: opening)
    var answer = [UInt8](repeating: 0, count: 50)
    let isAnswered = try loop.run(for: .seconds(60)) {
      loop.after(.milliseconds(1)) {}
      return recv(first, &answer, 50, Int32(MSG_DONTWAIT)) == 50
    }
    #expect(isAnswered)
    let second = try openSocket(to: listener.address, sending: opening)
    let isOver = try loop.run(for: .seconds(60)) {
      loop.after(.milliseconds(1)) {}
      let count = recv(second, &answer, 50, Int32(MSG_DONTWAIT))
      return count == 0 || count < 0 && errno == ECONNRESET
    }
    #expect(isOver)
    for descriptor in [first, second] { close(descriptor) }
  }

  @Test func `A message that is not finished in time ends a connection; silence between messages does not`()
    throws
  {
    var ends: [PeerConnection.End] = []
    var acceptor: PeerConnection?
    let listener = try listen { connection in
      acceptor = connection
      connection.frameWithin = .milliseconds(20)
      connection.onEnd = { ends.append($0) }
    }
    let client = try dial(listener, sending: [[5]])
    defer { client.cutOff() }
    #expect(try loop.run(for: .seconds(60)) { acceptor != nil })
    // Silence between messages is no fault.
    _ = try loop.run(for: .milliseconds(60)) { !ends.isEmpty }
    expect(ends, is: [])
    send(client.descriptor, [0, 2, 5] as [UInt8], 3, Int32(MSG_NOSIGNAL))
    #expect(try loop.run(for: .seconds(60)) { !ends.isEmpty })
    expect(ends, is: [.slowWriter])
    expect(
      PeerConnection.End.slowWriter.description,
      is: "the peer began the handshake or a message and did not finish it within 10s")
  }
}

/// The identity of the other end, over a real socket.
@Suite("A handshake", .serialized) final class PeerHandshakeTests: TransportSuite {
  /// A test server that answers each dial with these bytes.
  private func server(answering bytes: [UInt8]) throws -> (place: HostAndPort, descriptor: Int32) {
    let (descriptor, place) = try TCPSocket.listen(on: anywhere)
    try loop.watch(descriptor, .readable) { _ in
      let client = accept(descriptor, nil, nil)
      if client >= 0, !bytes.isEmpty { send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
    return (place, descriptor)
  }

  private func end(
    dialling place: HostAndPort, _ node: PublicKey, within bound: TimeSpan = .seconds(10)
  ) throws -> PeerConnection.End? {
    let dialler = try dial(place, node)
    dialler.frameWithin = bound
    var end: PeerConnection.End?
    var isConnected = false
    dialler.onConnected = { isConnected = true }
    dialler.onEnd = { end = $0 }
    dialler.start()
    #expect(try loop.run(for: .seconds(60)) { end != nil })
    #expect(!isConnected)
    return end
  }

  @Test func `A handshake with another node than the dialled one ends before any message`() throws {
    var accepted = 0
    let listener = try listen { _ in accepted += 1 }
    let other = try #require(PrivateKey(SHA256.hash([3]))).publicKey
    expect(try end(dialling: listener.address, other), is: .hungUp)
    expect(accepted, is: 0)
  }

  @Test func `A handshake with a peer that does not speak BOLT 8 ends with the fault in its act 2`() throws {
    let (place, descriptor) = try server(
      answering: Array("HTTP/1.1 400 Bad Request\r\nServer: x\r\nContent-Length: 0\r\n\r\n".utf8))
    defer {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    expect(
      try end(dialling: place, theirs.publicKey),
      is: .refused(.unknownVersion(act: 2, version: UInt8(ascii: "H"))))
    let (zeros, other) = try server(answering: [UInt8](repeating: 0, count: 50))
    defer {
      loop.unwatch(other)
      close(other)
    }
    expect(try end(dialling: zeros, theirs.publicKey), is: .refused(.badKey(act: 2)))
  }

  @Test(arguments: [0, 49])
  func `A handshake whose act 2 is missing or incomplete ends at its time limit`(bytes: Int) throws {
    let (place, descriptor) = try server(answering: [UInt8](repeating: 0, count: bytes))
    defer {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    expect(try end(dialling: place, theirs.publicKey, within: .milliseconds(30)), is: .slowWriter)
  }

  @Test func `Injected bytes after the handshake end the connection`() throws {
    var ends: [PeerConnection.End] = []
    var received: [[UInt8]] = []
    let listener = try listen { connection in
      connection.onMessage = { received.append($0) }
      connection.onEnd = { ends.append($0) }
    }
    let dialler = try dial(listener.address)
    dialler.onConnected = { dialler.send([7]) }
    dialler.start()
    #expect(try loop.run(for: .seconds(60)) { received == [[7]] })
    let injected = [UInt8](repeating: 1, count: 64)
    send(dialler.descriptor, injected, injected.count, Int32(MSG_NOSIGNAL))
    dialler.send([8])
    #expect(try loop.run(for: .seconds(60)) { !ends.isEmpty })
    expect(ends, is: [.refused(.badLength)])
    expect(received, is: [[7]])
    dialler.cutOff()
  }

  @Test func `No ephemeral key is drawn before the first act is complete`() throws {
    var pair: [Int32] = [-1, -1]
    expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair), is: 0)
    defer { close(pair[1]) }
    var drawn = 0
    let connection = PeerConnection(
      accepted: pair[0], as: theirs,
      drawing: { () throws(SystemError) in
        drawn += 1
        return try PrivateKey.ephemeral()
      }, loop: loop)
    connection.start()
    var turns = 0
    loop.post { [loop] in loop.post { turns += 1 } }
    #expect(try loop.run(for: .seconds(60)) { turns == 1 })
    expect(drawn, is: 0)
    expect(write(pair[1], [UInt8](repeating: 0, count: 49), 49), is: 49)
    loop.post { [loop] in loop.post { turns += 1 } }
    #expect(try loop.run(for: .seconds(60)) { turns == 2 })
    expect(drawn, is: 0)
    expect(write(pair[1], [0], 1), is: 1)
    #expect(try loop.run(for: .seconds(60)) { drawn == 1 })
    connection.cutOff()
  }

  @Test func `A peer address needs a valid node id, host and port`() throws {
    let id = theirs.publicKey.hex
    expect(PeerAddress("\(id)@127.0.0.1:9735")?.description, is: "\(id)@127.0.0.1:9735")
    for text in [
      "127.0.0.1:9735", "\(id)@", "@127.0.0.1:1", "\(id)@x:1", "\(id)@127.0.0.1:1@", "00\(id)@127.0.0.1:1",
      "04\(id.dropFirst(2))@127.0.0.1:1", "\(id.dropLast())Ａ@127.0.0.1:1",
    ] {
      #expect(PeerAddress(text) == nil, "\(text)")
    }
  }
}
