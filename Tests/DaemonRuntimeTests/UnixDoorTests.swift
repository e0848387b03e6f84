import CLinux
import Platform

@testable import DaemonRuntime

/// A daemon's listener with real sockets.
@Suite("Connections of a Unix listener") struct UnixDoorTests {
  private let directory = TemporaryDirectory()
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func echo(_ limits: Doorkeeper.Limits = .init()) throws -> UnixListener {
    var all = UnixListener.Limits()
    all.door = limits
    return try UnixListener(path: directory("s"), loop: loop, limits: all) { connection in
      connection.onMessage = { [unowned connection] message in
        if message.verb != "silence" { connection.send(ControlMessage("echo")) }
      }
    }
  }

  private func dial() throws -> Int32 {
    let descriptor = try UnixPath(directory("s")).connect(blockingMilliseconds: nil)
    try #require(descriptor >= 0)
    return descriptor
  }

  /// The last error sent to the client before its disconnect; nil without a disconnect.
  private func lastSentence(_ descriptor: Int32) throws -> String? {
    var sentence: String?
    var buffer = [UInt8](repeating: 0, count: 4096)
    let isOver = try loop.run(for: .seconds(60)) {
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count == 0 { return true }
        if count < 0 {
          if errno == ECONNRESET { continue }
          loop.after(.milliseconds(1)) {}
          return false
        }
        sentence = (try? ControlMessage(decoding: Array(buffer[..<count])))?.errorSentence ?? sentence
      }
    }
    close(descriptor)
    return isOver ? sentence : nil
  }

  private func say(_ verb: String, on descriptor: Int32) throws {
    let bytes = try ControlMessage(verb).encoded()
    try #require(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  @Test func `A silent connection gets an error and is closed`() throws {
    var limits = Doorkeeper.Limits()
    limits.firstMessageWithin = .milliseconds(20)
    let listener = try echo(limits)
    let silent = try dial()
    expect(try lastSentence(silent), is: "no request came within 20ms; connect when you have one")
    expect(listener.sentAway, is: 1)
    listener.shutDown()
  }

  @Test func `A silent connection displaced by a newer one gets an error`() throws {
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = 1
    let listener = try echo(limits)
    let first = try dial()
    let second = try dial()
    expect(
      try lastSentence(first),
      is: "a newer connection took the place of this one, as at most 1 stay open; connect again")
    close(second)
    listener.shutDown()
  }

  @Test func `A connection with too many unanswered requests gets an error and is closed`() throws {
    var limits = Doorkeeper.Limits()
    limits.openRequests = 2
    let listener = try echo(limits)
    let client = try dial()
    for _ in 0..<3 { try say("silence", on: client) }
    expect(
      try lastSentence(client), is: "2 requests of this connection have no answer yet; wait for those")
    listener.shutDown()
  }

  @Test func `A request to an already closed connection gets the reason of the close`() throws {
    let listener = try UnixListener(path: directory("s"), loop: loop) { connection in
      connection.send(.error("go away"))
      connection.close()
    }
    let client = try ControlClient(path: directory("s"), daemon: "iosd")
    try loop.turn(waitingMilliseconds: 0)
    #expect(throws: ControlClientError.refused("go away")) {
      _ = try client.request(ControlMessage("status"), timeout: .seconds(5))
    }
    listener.shutDown()
  }
}

@Suite struct UnixSocketTests {
  /// A listener that answers each message with its verb, on a loop of this test.
  private func echo(_ path: String, on loop: EventLoop, limits: UnixListener.Limits = .init()) throws
    -> UnixListener
  {
    try UnixListener(path: path, loop: loop, limits: limits) { connection in
      connection.onMessage = { [unowned connection] message in
        connection.send(ControlMessage("echo", ["verb": message.verb], body: message.body))
      }
    }
  }

  /// One client of a test: the socket itself, without the helper under test.
  private func dial(_ path: String) throws -> Int32 {
    let descriptor = try UnixPath(path).connect(blockingMilliseconds: nil)
    #expect(descriptor >= 0)
    return descriptor
  }

  private func receive(_ descriptor: Int32, on loop: EventLoop) throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 200_000)
    var count = -1
    let arrived = try loop.run(for: .seconds(60)) {
      count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 { loop.after(.milliseconds(1)) {} }
      return count >= 0
    }
    return arrived ? Array(buffer[..<count]) : nil
  }

  @Test func `A request over a Unix socket gets its answer`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    let listener = try echo(directory("s"), on: loop)
    let client = try dial(directory("s"))
    let request = try ControlMessage("hello", body: [1, 2, 3]).encoded()
    send(client, request, request.count, 0)
    let answer = try ControlMessage(decoding: try #require(try receive(client, on: loop)))
    expect(answer, is: ControlMessage("echo", ["verb": "hello"], body: [1, 2, 3]))
    close(client)
    #expect(try loop.run(for: .seconds(60)) { listener.connectionCount == 0 })
  }

  @Test func `A socket path above 107 bytes works`() throws {
    let directory = TemporaryDirectory()
    let deep = directory(String(repeating: "d", count: 120))
    expect(mkdir(deep, 0o700), is: 0)
    let loop = try EventLoop()
    let listener = try echo("\(deep)/control.sock", on: loop)
    let client = try dial("\(deep)/control.sock")
    let request = try ControlMessage("hello").encoded()
    send(client, request, request.count, 0)
    #expect(try receive(client, on: loop) != nil)
    close(client)
    listener.shutDown()
    #expect(access("\(deep)/control.sock", F_OK) != 0)
  }

  @Test func `A stale socket path is replaced, a live one is refused`() throws {
    let directory = TemporaryDirectory()
    let stale = baton_seqpacket_socket()
    expect(Kernel.withUnixAddress(directory("s")) { bind(stale, $0, $1) }, is: 0)
    close(stale)
    let loop = try EventLoop()
    let listener = try echo(directory("s"), on: loop)
    #expect(throws: UnixListenerError.alreadyListening(path: directory("s"), pid: getpid())) {
      _ = try echo(directory("s"), on: loop)
    }
    expect(directory.entries, is: ["s"])
    listener.shutDown()
    expect(directory.entries, is: [])
  }

  @Test func `A replaced listener that shuts down does not remove the new listener's socket`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    let old = try echo(directory("s"), on: loop)
    let new = try UnixListener(path: directory("s"), loop: loop, replacingLive: true) { _ in }
    old.shutDown()
    expect(directory.entries, is: ["s"])
    new.shutDown()
  }

  @Test func `A combining mark after a slash does not hide the slash`() throws {
    let directory = TemporaryDirectory()
    let path = try UnixPath(directory("\u{cf3}x.sock"))
    expect(path.name, is: "\u{cf3}x.sock")
    #expect(throws: SystemError.self) { try UnixPath(directory("missing/\u{301}a")) }
    #expect(throws: SystemError.self) { try UnixPath(directory("")) }
  }

  @Test func `An error shows control characters in a path as dots`() throws {
    let loop = try EventLoop()
    let refusal = #expect(throws: UnixListenerError.self) { _ = try echo("/\u{1b}[2J\n/a.sock", on: loop) }
    expect(refusal?.description.contains("/.[2J./a.sock"), is: true)
  }

  @Test func `A listener at a path that is a file, has no directory or is empty is refused`() throws {
    let directory = TemporaryDirectory()
    close(open(directory("s"), O_CREAT | O_WRONLY, 0o600))
    let loop = try EventLoop()
    #expect(throws: UnixListenerError.notASocket(directory("s"))) { _ = try echo(directory("s"), on: loop) }
    #expect(throws: UnixListenerError.self) { _ = try echo(directory("none/s"), on: loop) }
    #expect(throws: UnixListenerError.self) { _ = try echo("", on: loop) }
  }

  @Test func `A malformed message is answered with an error and a disconnect`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    let listener = try echo(directory("s"), on: loop)
    for garbage: [UInt8] in [[0xff], Array("NO\n\n".utf8), [UInt8](repeating: 10, count: 1000)] {
      let client = try dial(directory("s"))
      send(client, garbage, garbage.count, 0)
      let answer = try ControlMessage(decoding: try #require(try receive(client, on: loop)))
      #expect(answer.errorSentence != nil)
      expect(try receive(client, on: loop), is: [])
      close(client)
    }
    expect(listener.connectionCount, is: 0)
  }

  @Test func `A message that is too large is answered with an error and a disconnect`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    var end: UnixConnection.End?
    let listener = try UnixListener(path: directory("s"), loop: loop) { $0.onEnd = { end = $0 } }
    let client = try dial(directory("s"))
    let size = ControlMessage.maximumSize + 1
    expect(send(client, [UInt8](repeating: 65, count: size), size, 0), is: size)
    #expect(try loop.run(for: .seconds(60)) { end != nil })
    expect(end, is: .undecodable(.tooLarge(bytes: size)))
    let answer = try ControlMessage(decoding: try #require(try receive(client, on: loop)))
    expect(answer.errorSentence, is: ControlMessageError.tooLarge(bytes: size).description)
    close(client)
    listener.shutDown()
  }

  @Test func `A client with too many unread bytes in its queue is disconnected`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    var connection: UnixConnection?
    var end: UnixConnection.End?
    let listener = try UnixListener(path: directory("s"), loop: loop) {
      connection = $0
      $0.onEnd = { end = $0 }
    }
    let client = try dial(directory("s"))
    #expect(try loop.run(for: .seconds(60)) { connection != nil })
    let block = ControlMessage("block", body: [UInt8](repeating: 0, count: 60_000))
    for _ in 0..<100 where connection?.send(block) == true {}
    expect(end, is: .slowReader)
    expect(connection?.send(block), is: false)
    close(client)
    listener.shutDown()
  }

  @Test func `Messages on a socket pair reach the other end in order`() throws {
    let loop = try EventLoop()
    var ends: [Int32] = [0, 0]
    expect(baton_seqpacket_pair(&ends), is: 0)
    let left = try #require(UnixConnection(adopting: ends[0], loop: loop))
    let right = try #require(UnixConnection(adopting: ends[1], loop: loop))
    var heard: [String] = []
    var ended: UnixConnection.End?
    right.onMessage = { heard.append($0.verb) }
    right.onEnd = { ended = $0 }
    left.start()
    right.start()
    for verb in ["one", "two", "three"] { left.send(ControlMessage(verb)) }
    left.close()
    #expect(try loop.run(for: .seconds(60)) { ended != nil })
    expect(heard, is: ["one", "two", "three"])
    expect(ended, is: .hungUp)
    expect(right.peer.pid, is: getpid())
  }

  @Test func `A client of a missing daemon gets the error notRunning`() throws {
    let directory = TemporaryDirectory()
    #expect(throws: ControlClientError.notRunning(daemon: "iosd", path: directory("s"))) {
      _ = try ControlClient(path: directory("s"), daemon: "iosd")
    }
  }

  @Test func `A request that is not answered times out`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    let listener = try UnixListener(path: directory("s"), loop: loop) { _ in }
    let client = try ControlClient(path: directory("s"), daemon: "iosd")
    #expect(throws: ControlClientError.timedOut(path: directory("s"))) {
      _ = try client.request(ControlMessage("status"), timeout: .milliseconds(5))
    }
    listener.shutDown()
    #expect(throws: ControlClientError.hungUp(path: directory("s"))) { _ = try client.receive() }
  }
}

@Suite struct LastMessagesTests {
  @Test(arguments: [false, true])
  func `Messages that the other end sent before it disconnected are received although it did not read ours`(
    _ speaksOnceMore: Bool
  ) throws {
    let loop = try EventLoop()
    var ends: [Int32] = [0, 0]
    expect(baton_seqpacket_pair(&ends), is: 0)
    let connection = try #require(UnixConnection(adopting: ends[0], loop: loop))
    var heard: [String] = []
    var ended: UnixConnection.End?
    connection.onMessage = { heard.append($0.verb) }
    connection.onEnd = { ended = $0 }
    connection.send(ControlMessage("unread"))
    let last = try ControlMessage("last-message").encoded()
    send(ends[1], last, last.count, 0)
    close(ends[1])
    if speaksOnceMore { connection.send(ControlMessage("too-late")) }
    connection.start()
    #expect(try loop.run(for: .seconds(60)) { ended != nil })
    expect(heard, is: ["last-message"])
    expect(ended, is: .hungUp)
  }
}

/// Two ends of one packet connection, on one loop.
@Suite struct UnixConnectionTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func pair(_ limits: UnixConnection.Limits = .init()) throws -> (UnixConnection, UnixConnection) {
    var ends: [Int32] = [0, 0]
    expect(baton_seqpacket_pair(&ends), is: 0)
    return (
      try #require(UnixConnection(adopting: ends[0], loop: loop, limits: limits)),
      try #require(UnixConnection(adopting: ends[1], loop: loop))
    )
  }

  private func block(_ number: String) -> ControlMessage {
    ControlMessage("block", ["number": number], body: [UInt8](repeating: 0, count: 9000))
  }

  @Test func `A reader that pauses gets every message when it resumes`() throws {
    let (left, right) = try pair()
    var heard: [String?] = []
    var ended: UnixConnection.End?
    right.onMessage = { heard.append($0["number"]) }
    right.onEnd = { ended = $0 }
    left.start()
    let numbers = (0..<100).map { "\($0)" }
    for number in numbers { #expect(left.send(block(number))) }
    right.drain()
    #expect(heard.count < numbers.count, "messages that the socket does not accept are queued")
    right.start()
    #expect(try loop.run(for: .seconds(60)) { heard.count == numbers.count })
    left.close()
    #expect(try loop.run(for: .seconds(60)) { ended != nil })
    expect(heard, is: numbers)
    expect(ended, is: .hungUp)
  }

  /// Only queued bytes count against the limit, not all bytes sent.
  @Test func `A client that keeps reading receives more bytes than the queue's limit`() throws {
    var limits = UnixConnection.Limits()
    limits.queuedBytes = 20_000
    let (left, right) = try pair(limits)
    var heard: [String?] = []
    right.onMessage = { heard.append($0["number"]) }
    let numbers = (0..<100).map { "\($0)" }
    for number in numbers {
      #expect(left.send(block(number)))
      right.drain()
    }
    expect(heard, is: numbers)
    #expect(left.end == nil)
    left.close()
    right.close()
  }

  @Test func `A client with too many unread messages in its queue is disconnected`() throws {
    var limits = UnixConnection.Limits()
    limits.queuedFrames = 3
    let (left, right) = try pair(limits)
    for _ in 0..<5000 where left.end == nil { left.send(ControlMessage("small")) }
    expect(left.end, is: .slowReader)
    right.close()
  }

  @Test func `A client with many messages does not starve another`() throws {
    let (talker, fromTalker) = try pair()
    let (other, fromOther) = try pair()
    var heard: [String] = []
    fromTalker.onMessage = { heard.append($0.verb) }
    fromOther.onMessage = { heard.append($0.verb) }
    for _ in 0..<100 { #expect(talker.send(ControlMessage("talk"))) }
    #expect(other.send(ControlMessage("word")))
    fromTalker.start()
    fromOther.start()
    #expect(try loop.run(for: .seconds(60)) { heard.count == 101 })
    #expect(try #require(heard.firstIndex(of: "word")) <= 32)
    for connection in [talker, fromTalker, other, fromOther] { connection.close() }
  }
}
