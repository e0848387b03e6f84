@testable import DaemonRuntime

@Suite("A thread beside the loop") struct SideThreadTests {
  /// Work that waits until the test lets it end.
  private final class Gate: Sendable {
    private let ends: (reader: Int32, writer: Int32) = makePipe(nonblocking: false)

    func wait() {
      var byte: UInt8 = 0
      _ = read(ends.reader, &byte, 1)
    }

    func open() { _ = write(ends.writer, "x", 1) }

    deinit {
      close(ends.reader)
      close(ends.writer)
    }
  }

  @Test func `The loop goes on while work waits, and gets the answers in the order of the work`() throws {
    let loop = try EventLoop()
    let thread = SideThread(loop: loop)
    let gate = Gate()
    var seen: [Int] = []
    for number in 1...5 {
      try thread.perform {
        if number == 1 { gate.wait() }
        return number
      } then: {
        seen.append($0)
        if seen.count == 5 { loop.stop() }
      }
    }
    // The first work ends only after the loop has run a handler.
    loop.post {
      expect(seen, is: [])
      gate.open()
    }
    try loop.run()
    expect(seen, is: [1, 2, 3, 4, 5])
  }

  @Test func `The loop's thread does none of the work`() throws {
    let loop = try EventLoop()
    let thread = SideThread(loop: loop)
    let own = pthread_self()
    var others: [Bool] = []
    try thread.perform {
      pthread_self() != own
    } then: {
      others.append($0)
      loop.stop()
    }
    try loop.run()
    expect(others, is: [true])
  }

  @Test func `At the end work is waited for, but not for ever, and its answers are dropped`() throws {
    let loop = try EventLoop()
    let thread = SideThread(loop: loop)
    let gate = Gate()
    var seen: [Int] = []
    #expect(thread.finish(within: .seconds(60)))
    try thread.perform {
      1
    } then: {
      seen.append($0)
    }
    #expect(thread.finish(within: .seconds(60)))
    try thread.perform {
      gate.wait()
      return 2
    } then: {
      seen.append($0)
    }
    #expect(!thread.finish(within: .milliseconds(5)))
    gate.open()
    #expect(thread.finish(within: .seconds(60)))
    expect(seen, is: [])
  }

  @Test func `Too much work is refused`() throws {
    let loop = try EventLoop()
    let thread = SideThread(loop: loop)
    let gate = Gate()
    for _ in 0..<SideThread.most { try thread.perform(gate.wait, then: { _ in }) }
    #expect(throws: SystemError.self) { try thread.perform(gate.wait, then: { _ in }) }
    for _ in 0..<SideThread.most { gate.open() }
    thread.finish(within: .seconds(60))
    try thread.perform(gate.open, then: { _ in })
    thread.finish(within: .seconds(60))
  }
}
