import CLinux
import Ground
import Glibc
import Testing

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
    let isOver = try loop.run(for: .seconds(20)) {
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

  /// Through the loop, as the listener lives in this thread.
  private func isAnswered() throws -> Bool {
    let client = try dial()
    defer { close(client) }
    try say("hello", on: client)
    var byte: UInt8 = 0
    return try loop.run(for: .seconds(20)) {
      if recv(client, &byte, 1, Int32(MSG_PEEK)) > 0 { return true }
      loop.after(.milliseconds(1)) {}
      return false
    }
  }

  @Test func `10,000 silent connections, 200 at a time, do not keep a client out`() throws {
    let listener = try echo()
    var held: [Int32] = []
    for number in 0..<10_000 {
      held.append(try dial())
      // This process has both ends of each connection, and may be limited to 1,024 descriptors.
      if held.count == 200 {
        #expect(try isAnswered())
        for descriptor in held { close(descriptor) }
        held = []
      }
      if number % 8 == 0 { try loop.turn(waitingMilliseconds: 0) }
      #expect(listener.connectionCount <= 192)
    }
    for descriptor in held { close(descriptor) }
    #expect(try loop.run(for: .seconds(20)) { listener.connectionCount == 0 })
    listener.shutDown()
  }

  @Test func `A silent connection gets an error and is closed`() throws {
    var limits = Doorkeeper.Limits()
    limits.firstMessageWithin = .milliseconds(20)
    let listener = try echo(limits)
    let silent = try dial()
    #expect(try lastSentence(silent) == "no request came within 20ms; connect when you have one")
    #expect(listener.sentAway == 1)
    listener.shutDown()
  }

  @Test func `A silent connection displaced by a newer one gets an error`() throws {
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = 1
    let listener = try echo(limits)
    let first = try dial()
    let second = try dial()
    #expect(
      try lastSentence(first)
        == "a newer connection took the place of this one, as at most 1 stay open; connect again")
    close(second)
    listener.shutDown()
  }

  @Test func `An idle connection displaced by a newer one gets an error`() throws {
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = 1
    let listener = try echo(limits)
    let first = try dial()
    try say("hello", on: first)
    let second = try dial()
    try say("hello", on: second)
    #expect(
      try lastSentence(first)
        == "a newer connection took the place of this one, as at most 1 stay open; connect again")
    close(second)
    listener.shutDown()
  }

  @Test func `A connection with too many unanswered requests gets an error and is closed`() throws {
    var limits = Doorkeeper.Limits()
    limits.openRequests = 2
    let listener = try echo(limits)
    let client = try dial()
    for _ in 0..<3 { try say("silence", on: client) }
    #expect(
      try lastSentence(client) == "2 requests of this connection have no answer yet; wait for those")
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
