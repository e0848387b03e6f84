import Ground
import Crypto
import DaemonRuntime
import Glibc
import Testing

@testable import LightningIO

/// The identity of the other end, over a real socket.
@Suite("A handshake", .serialized) struct PeerHandshakeTests {
  private let loop: EventLoop
  private let anywhere: HostAndPort
  private let ours: PrivateKey
  private let theirs: PrivateKey

  init() throws {
    loop = try EventLoop()
    anywhere = try #require(HostAndPort("127.0.0.1:0"))
    ours = try #require(PrivateKey(SHA256.hash([1])))
    theirs = try #require(PrivateKey(SHA256.hash([2])))
  }

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
    let dialler = try PeerConnection.dial(PeerAddress(node: node, place: place), as: ours, loop: loop)
    dialler.frameWithin = bound
    var end: PeerConnection.End?
    var isConnected = false
    dialler.onConnected = { isConnected = true }
    dialler.onEnd = { end = $0 }
    dialler.start()
    #expect(try loop.run(for: .seconds(20)) { end != nil })
    #expect(!isConnected)
    return end
  }

  @Test
  func `A handshake with another node than the dialled one ends before any message`() throws {
    var accepted = 0
    let listener = try PeerListener(anywhere, as: theirs, loop: loop) { _ in accepted += 1 }
    let other = try #require(PrivateKey(SHA256.hash([3]))).publicKey
    #expect(try end(dialling: listener.address, other) == .hungUp)
    #expect(accepted == 0)
  }

  @Test
  func `A handshake with a peer that does not speak BOLT 8 ends with the fault in its act 2`() throws {
    let (place, descriptor) = try server(
      answering: Array("HTTP/1.1 400 Bad Request\r\nServer: x\r\nContent-Length: 0\r\n\r\n".utf8))
    defer {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    #expect(
      try end(dialling: place, theirs.publicKey)
        == .refused(.unknownVersion(act: 2, version: UInt8(ascii: "H"))))
    let (zeros, other) = try server(answering: [UInt8](repeating: 0, count: 50))
    defer {
      loop.unwatch(other)
      close(other)
    }
    #expect(try end(dialling: zeros, theirs.publicKey) == .refused(.badKey(act: 2)))
  }

  @Test(arguments: [0, 49])
  func `A handshake whose act 2 is missing or incomplete ends at its time limit`(bytes: Int) throws {
    let (place, descriptor) = try server(answering: [UInt8](repeating: 0, count: bytes))
    defer {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    #expect(try end(dialling: place, theirs.publicKey, within: .milliseconds(30)) == .slowWriter)
  }

  @Test
  func `Injected bytes after the handshake end the connection`() throws {
    var ends: [PeerConnection.End] = []
    var received: [[UInt8]] = []
    let listener = try PeerListener(anywhere, as: theirs, loop: loop) { connection in
      connection.onMessage = { received.append($0) }
      connection.onEnd = { ends.append($0) }
    }
    let dialler = try PeerConnection.dial(
      PeerAddress(node: theirs.publicKey, place: listener.address), as: ours, loop: loop)
    dialler.onConnected = { dialler.send([7]) }
    dialler.start()
    #expect(try loop.run(for: .seconds(20)) { received == [[7]] })
    let injected = [UInt8](repeating: 1, count: 64)
    send(dialler.descriptor, injected, injected.count, Int32(MSG_NOSIGNAL))
    dialler.send([8])
    #expect(try loop.run(for: .seconds(20)) { !ends.isEmpty })
    #expect(ends == [.refused(.badLength)])
    #expect(received == [[7]])
    dialler.cutOff()
  }

  @Test
  func `No ephemeral key is drawn before the first act is complete`() throws {
    var pair: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
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
    #expect(try loop.run(for: .seconds(20)) { turns == 1 })
    #expect(drawn == 0)
    #expect(write(pair[1], [UInt8](repeating: 0, count: 49), 49) == 49)
    loop.post { [loop] in loop.post { turns += 1 } }
    #expect(try loop.run(for: .seconds(20)) { turns == 2 })
    #expect(drawn == 0)
    #expect(write(pair[1], [0], 1) == 1)
    #expect(try loop.run(for: .seconds(20)) { drawn == 1 })
    connection.cutOff()
  }

  @Test
  func `A peer address needs a valid node id, host and port`() throws {
    let id = theirs.publicKey.hex
    #expect(PeerAddress("\(id)@127.0.0.1:9735")?.description == "\(id)@127.0.0.1:9735")
    for text in [
      "127.0.0.1:9735", "\(id)@", "@127.0.0.1:1", "\(id)@x:1", "\(id)@127.0.0.1:1@", "00\(id)@127.0.0.1:1",
      "04\(id.dropFirst(2))@127.0.0.1:1", "\(id.dropLast())Ａ@127.0.0.1:1",
    ] {
      #expect(PeerAddress(text) == nil, "\(text)")
    }
  }
}
