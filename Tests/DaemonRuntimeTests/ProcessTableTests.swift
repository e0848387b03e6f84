import Heartbeat

@testable import DaemonRuntime

@Suite struct ProcessTableTests {
  private let boot = BootID(high: 1, low: 2)

  @Test func `The test's own process is alive and not stopped`() throws {
    let own = ProcessTable.current(boot: boot)
    #expect(own.startTime > 0)
    #expect(ProcessTable.isAlive(own, boot: boot))
    #expect(!ProcessTable.isStopped(own.pid))
    let pidfd = try #require(try ProcessTable.openPidfd(own, boot: boot))
    close(pidfd)
  }

  @Test func `A pid with another start time is another process`() throws {
    var other = ProcessTable.current(boot: boot)
    other.startTime += 1
    #expect(!ProcessTable.isAlive(other, boot: boot))
    #expect(try ProcessTable.openPidfd(other, boot: boot) == nil)
  }

  @Test func `A process of another boot is not alive`() {
    let own = ProcessTable.current(boot: boot)
    #expect(!ProcessTable.isAlive(own, boot: BootID(high: 9, low: 9)))
  }

  /// A zombie keeps its pid and start time until it is reaped.
  @Test func `An ended process is not alive, even before it is reaped`() throws {
    var options = ChildProcess.Options()
    options.diesWithParent = false
    let child = try ChildProcess.start("/bin/true", arguments: [], boot: boot, options: options)
    var ended = pollfd(fd: child.pidfd, events: Int16(POLLIN), revents: 0)
    expect(poll(&ended, 1, 30_000), is: 1)
    expect(ProcessTable.startTime(of: child.identity.pid), is: child.identity.startTime)
    #expect(!ProcessTable.isAlive(child.identity, boot: boot))
    expect(ChildEnd.reap(child.identity.pid)?.how, is: .exited(code: 0))
    close(child.pidfd)
    close(child.channel)
  }

  @Test func `Impossible pids are no process`() throws {
    for pid: Int32 in [0, -1, .min, .max] {
      let missing = ProcessIdentity(pid: pid, startTime: 0, boot: boot)
      #expect(!ProcessTable.isAlive(missing, boot: boot))
      #expect(try ProcessTable.openPidfd(missing, boot: boot) == nil)
    }
  }

  @Test func `Listing the descriptors of a missing process is an error`() throws {
    #expect(try ProcessTable.descriptors(of: getpid()).contains(0))
    #expect(throws: SystemError("list the descriptors of process \(Int32.max)", code: ENOENT)) {
      try ProcessTable.descriptors(of: .max)
    }
  }

  private func start(_ program: String, _ arguments: String...) throws -> ChildProcess {
    var options = ChildProcess.Options()
    options.diesWithParent = false
    return try ChildProcess.start(program, arguments: arguments, boot: boot, options: options)
  }

  private func waitForEnd(of child: ChildProcess) {
    _ = ChildEnd.reap(child.identity.pid)
    close(child.pidfd)
    close(child.channel)
  }

  private func state(of child: ChildProcess) -> UInt8? { ProcessTable.status(of: child.identity.pid)?.state }

  @Test(arguments: [SIGKILL, SIGTERM])
  func `A process is ending from its fatal signal until it is reaped`(signal: Int32) throws {
    for _ in 0..<20 {
      let child = try start("/bin/sleep", "1000")
      #expect(!ProcessTable.isEnding(child.identity.pid))
      child.send(signal)
      var looks = 0
      repeat {
        looks += 1
        #expect(ProcessTable.isEnding(child.identity.pid), "look \(looks)")
      } while state(of: child) != UInt8(ascii: "Z")
      waitForEnd(of: child)
      #expect(!ProcessTable.isEnding(child.identity.pid))
    }
  }

  @Test func `A stopped process is not ending, until it is killed`() throws {
    let child = try start("/bin/sleep", "1000")
    child.send(SIGSTOP)
    while !ProcessTable.isStopped(child.identity.pid) { sched_yield() }
    #expect(!ProcessTable.isEnding(child.identity.pid))
    child.send(SIGKILL)
    #expect(ProcessTable.isEnding(child.identity.pid))
    waitForEnd(of: child)
  }

  @Test func `The children of a process include zombies that it has not reaped`() throws {
    let child = try start("/bin/sleep", "1000")
    #expect(ProcessTable.children(of: getpid()).contains(child.identity.pid))
    expect(ProcessTable.name(of: child.identity.pid), is: "sleep")
    #expect(ProcessTable.children(of: child.identity.pid).isEmpty)
    child.send(SIGKILL)
    while state(of: child) != UInt8(ascii: "Z") { sched_yield() }
    #expect(ProcessTable.children(of: getpid()).contains(child.identity.pid))
    waitForEnd(of: child)
    #expect(!ProcessTable.children(of: getpid()).contains(child.identity.pid))
  }

  @Test func `A process's footprint is its anonymous memory plus its swap`() throws {
    let text = "Name:\tx\nVmHWM:\t 12 kB\nVmRSS:\t  10 kB\nRssAnon:\t 4 kB\nVmSwap:\t 3 kB\n"
    let figures = try #require(MemoryFigures(status: Array(text.utf8)))
    expect(
      figures,
      is: MemoryFigures(footprintBytes: 7 * 1024, residentBytes: 10 * 1024, peakResidentBytes: 12 * 1024))
    #expect(MemoryFigures(status: Array("VmRSS: 18446744073709551615 kB\n".utf8)) == nil)
    #expect(MemoryFigures(status: []) == nil)
    #expect(try #require(MemoryFigures(of: getpid())).residentBytes > 0)
  }
}
