import CLinux
import Ground
import Glibc
import Testing

@testable import DaemonRuntime

/// Two ends of one packet connection, on one loop.
@Suite struct UnixConnectionTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func pair(_ limits: UnixConnection.Limits = .init()) throws -> (UnixConnection, UnixConnection) {
    var ends: [Int32] = [0, 0]
    #expect(baton_seqpacket_pair(&ends) == 0)
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
    left.closeWhenSent()
    right.drain()
    #expect(heard.count < numbers.count, "messages that the socket does not accept are queued")
    right.start()
    #expect(try loop.run(for: .seconds(30)) { ended != nil })
    #expect(heard == numbers)
    #expect(ended == .hungUp)
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
    #expect(heard == numbers)
    #expect(left.end == nil)
    left.close()
    right.close()
  }

  @Test func `A client with too many unread messages in its queue is disconnected`() throws {
    var limits = UnixConnection.Limits()
    limits.queuedFrames = 3
    let (left, right) = try pair(limits)
    for _ in 0..<5000 where left.end == nil { left.send(ControlMessage("small")) }
    #expect(left.end == .slowReader)
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
    #expect(try loop.run(for: .seconds(30)) { heard.count == 101 })
    #expect(try #require(heard.firstIndex(of: "word")) <= 32)
    for connection in [talker, fromTalker, other, fromOther] { connection.close() }
  }
}
