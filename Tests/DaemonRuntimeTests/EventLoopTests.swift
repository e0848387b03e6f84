@testable import DaemonRuntime

@Suite struct EventLoopTests {
  private func pipePair() -> (reader: Int32, writer: Int32) { makePipe(nonblocking: true) }

  @Test func `A readable descriptor calls its handler`() throws {
    let loop = try EventLoop()
    let (reader, writer) = pipePair()
    var seen: [EventLoop.Readiness] = []
    try loop.watch(reader, .readable) { readiness in
      seen.append(readiness)
      loop.stop()
    }
    write(writer, "x", 1)
    try loop.run()
    expect(seen, is: [.readable])
    close(reader)
    close(writer)
  }

  @Test func `A handler can remove another handler whose event is already fetched`() throws {
    let loop = try EventLoop()
    let (first, firstWriter) = pipePair()
    let (second, secondWriter) = pipePair()
    var calls = 0
    for (own, other) in [(first, second), (second, first)] {
      try loop.watch(own, .readable) { _ in
        calls += 1
        loop.unwatch(own)
        loop.unwatch(other)
      }
    }
    write(firstWriter, "x", 1)
    write(secondWriter, "x", 1)
    try loop.turn(waitingMilliseconds: 0)
    try loop.turn(waitingMilliseconds: 0)
    expect(calls, is: 1)
    for descriptor in [first, firstWriter, second, secondWriter] { close(descriptor) }
  }

  @Test func `A reused descriptor number does not get the old event`() throws {
    let loop = try EventLoop()
    let (first, firstWriter) = pipePair()
    let (second, secondWriter) = pipePair()
    var stray = 0
    for (own, other) in [(first, second), (second, first)] {
      try loop.watch(own, .readable) { _ in
        // The handler called first gives the other's descriptor number to a pipe without data.
        let (quiet, quietWriter) = pipePair()
        loop.unwatch(other)
        dup2(quiet, other)
        close(quiet)
        _ = quietWriter
        loop.unwatch(own)
        try? loop.watch(other, .readable) { _ in stray += 1 }
      }
    }
    write(firstWriter, "x", 1)
    write(secondWriter, "x", 1)
    try loop.turn(waitingMilliseconds: 0)
    try loop.turn(waitingMilliseconds: 0)
    expect(stray, is: 0)
  }

  @Test func `The loop ends when posted work meets the condition, without waiting for a timer`() throws {
    let loop = try EventLoop()
    var isDone = false
    var hasWaited = false
    loop.post { loop.post { isDone = true } }
    loop.after(.seconds(2)) { hasWaited = true }
    #expect(try loop.run(for: .seconds(60)) { isDone })
    #expect(!hasWaited)
  }

  @Test func `Timers fire by instant, then in the order in which they were set`() throws {
    let loop = try EventLoop()
    var order: [String] = []
    let base = loop.now
    loop.at(base + .milliseconds(2)) {
      order.append("last")
      loop.stop()
    }
    loop.at(base + .milliseconds(1)) { order.append("first") }
    loop.at(base + .milliseconds(1)) { order.append("second") }
    try loop.run()
    expect(order, is: ["first", "second", "last"])
  }

  @Test func `Of many timers, also of one instant, just those that are not cancelled fire, in their order`()
    throws
  {
    let loop = try EventLoop()
    let past = loop.now - .seconds(1)
    var fired: [Int] = []
    let timers = (0..<300).map { number in
      loop.at(past + .milliseconds(Int64(number * 7 % 10))) { fired.append(number) }
    }
    for number in timers.indices where number * 5 % 3 != 0 {
      timers[number].cancel()
      timers[number].cancel()
    }
    expect(loop.timerCount, is: 100)
    try loop.turn(waitingMilliseconds: 1000)
    let left = timers.indices.filter { $0 % 3 == 0 }
    expect(fired, is: left.sorted { ($0 * 7 % 10, $0) < ($1 * 7 % 10, $1) })
    expect(loop.timerCount, is: 0)
  }

  @Test func `A cancelled timer does not fire`() throws {
    let loop = try EventLoop()
    var fired: [String] = []
    let cancelled = loop.at(loop.now) { fired.append("cancelled") }
    loop.after(.milliseconds(1)) { loop.stop() }
    cancelled.cancel()
    cancelled.cancel()
    try loop.run()
    expect(fired, is: [])
  }

  @Test func `A due timer can be cancelled by a timer that fires before it`() throws {
    let loop = try EventLoop()
    var fired: [String] = []
    var second: LoopTimer?
    loop.at(Instant(nanoseconds: 1)) {
      fired.append("first")
      second?.cancel()
    }
    second = loop.at(Instant(nanoseconds: 2)) { fired.append("second") }
    loop.after(.milliseconds(1)) { loop.stop() }
    try loop.run()
    expect(fired, is: ["first"])
  }

  @Test func `A timer that fires late, or is cancelled when it is overdue, is reported with when it was due`()
    throws
  {
    let loop = try EventLoop()
    loop.lateAfter = .milliseconds(5)
    var due: [Instant] = []
    loop.onLate = { due.append($0) }
    /// As a stopped process does nothing.
    func stand(until end: Instant) { while loop.now < end {} }
    let first = loop.now + .milliseconds(1)
    loop.at(first) { loop.stop() }
    stand(until: first + .milliseconds(6))
    try loop.run()
    // On a busy machine a handler may be late, too.
    expect(due.first, is: first)
    let second = loop.now + .milliseconds(1)
    let timer = loop.at(second) {}
    stand(until: second + .milliseconds(6))
    timer.cancel()
    expect(due.last, is: second)
    // Due since it was set.
    loop.at(Instant(nanoseconds: 1)) { loop.stop() }
    loop.lateAfter = .seconds(60)
    let count = due.count
    try loop.run()
    expect(due.count, is: count)
  }

  @Test
  func
    `A handler that takes long is reported with when it began, though the timer that it sets is due at once`()
    throws
  {
    let loop = try EventLoop()
    loop.lateAfter = .milliseconds(5)
    let (reader, writer) = pipePair()
    defer {
      close(reader)
      close(writer)
    }
    var due: [Instant] = []
    var begun = Instant(nanoseconds: 0)
    loop.onLate = { due.append($0) }
    try loop.watch(reader, .readable) { _ in
      begun = loop.now
      while loop.now < begun + .milliseconds(6) {}
      loop.unwatch(reader)
      loop.at(begun + .milliseconds(1)) { loop.stop() }
    }
    let before = loop.now
    write(writer, "x", 1)
    try loop.run()
    #expect(due.contains { before <= $0 && $0 <= begun })
  }

  @Test func `A timer that sets itself again in the past does not starve descriptors`() throws {
    let loop = try EventLoop()
    let (reader, writer) = pipePair()
    func again() { loop.at(Instant(nanoseconds: 0)) { again() } }
    again()
    try loop.watch(reader, .readable) { _ in loop.stop() }
    write(writer, "x", 1)
    try loop.run()
    close(reader)
    close(writer)
  }

  @Test func `Timers far in the past and future do not trap`() throws {
    let loop = try EventLoop()
    loop.at(Instant(nanoseconds: .max)) {}
    loop.at(Instant(nanoseconds: .min)) { loop.stop() }
    try loop.run()
  }

  @Test func `Posted work runs after the handler that posts it`() throws {
    let loop = try EventLoop()
    var order: [String] = []
    loop.post {
      loop.post {
        order.append("inner")
        loop.stop()
      }
      order.append("outer")
    }
    try loop.run()
    expect(order, is: ["outer", "inner"])
  }

  /// Otherwise a process whose work was done before its loop ran would wait forever.
  @Test func `A stop before the loop runs ends its next run, and only that run`() throws {
    let loop = try EventLoop()
    var waited = false
    let waker = loop.after(.seconds(2)) {
      waited = true
      loop.stop()
    }
    loop.stop()
    try loop.run()
    #expect(!waited)
    waker.cancel()
    var ranAgain = false
    loop.post {
      ranAgain = true
      loop.stop()
    }
    try loop.run()
    #expect(ranAgain)
  }

  @Test func `A signal calls its handler in the loop`() throws {
    let loop = try EventLoop()
    var got: [Int32] = []
    for number in [SIGUSR1, SIGUSR2] {
      try loop.onSignal(number) {
        got.append(number)
        if got.count == 2 { loop.stop() }
      }
    }
    pthread_kill(pthread_self(), SIGUSR1)
    pthread_kill(pthread_self(), SIGUSR2)
    try loop.run()
    expect(got.sorted(), is: [SIGUSR1, SIGUSR2])
  }

  @Test func `An invalid signal number is an error`() throws {
    let loop = try EventLoop()
    #expect(throws: SystemError.self) { try loop.onSignal(-1) {} }
    #expect(throws: SystemError.self) { try loop.onSignal(64) {} }
  }

  @Test func `Watching a closed descriptor is an error`() throws {
    let loop = try EventLoop()
    #expect(throws: SystemError("watch descriptor 99999", code: EBADF)) {
      try loop.watch(99_999, .readable) { _ in }
    }
  }
}
