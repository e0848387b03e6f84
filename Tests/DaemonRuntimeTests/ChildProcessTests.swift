import CLinux
import Heartbeat

@testable import DaemonRuntime

@Suite struct ChildProcessTests {
  private let boot = BootID(high: 1, low: 2)

  /// `diesWithParent` would follow the test's thread, which may end before the process.
  private func start(_ script: String, output: Int32 = -1) throws -> ChildProcess {
    var options = ChildProcess.Options()
    options.diesWithParent = false
    options.output = output
    return try ChildProcess.start("/bin/sh", arguments: ["-c", script], boot: boot, options: options)
  }

  private func end(of child: ChildProcess) throws -> ChildEnd {
    let loop = try EventLoop()
    var ended = false
    try loop.watchProcess(child.pidfd) { ended = true }
    #expect(try loop.run(for: .seconds(60)) { ended })
    let end = try #require(ChildEnd.reap(child.identity.pid))
    close(child.pidfd)
    close(child.channel)
    return end
  }

  @Test func `A child's exit code is reported once`() throws {
    let child = try start("exit 7")
    expect(try end(of: child).how, is: .exited(code: 7))
    #expect(ChildEnd.reap(child.identity.pid) == nil)
  }

  @Test(arguments: ["", "\r"])
  func `Starting a script whose interpreter is missing names the interpreter`(ending: String) throws {
    var template = Array("/tmp/baton-script-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(path) }
    let text = Array("#! /nowhere/python3\(ending) -u\nprint(1)\n".utf8)
    expect(write(file, text, text.count), is: text.count)
    fchmod(file, 0o700)
    close(file)
    let error = #expect(throws: SystemError.self) { try ChildProcess.start(path, arguments: [], boot: boot) }
    let words = error?.description ?? ""
    #expect(words.contains("its first line names the interpreter /nowhere/python3"), "\(words)")
    #expect(words.contains("which does not exist"), "\(words)")
    expect(words.contains("carriage return"), is: !ending.isEmpty)
    #expect(!words.contains("\n") && !words.contains("\r"))
  }

  @Test func `Starting a missing program fails with ENOENT`() {
    #expect(throws: SystemError("start /nowhere/program", code: ENOENT)) {
      try ChildProcess.start("/nowhere/program", arguments: [], boot: boot)
    }
  }

  @Test func `Ending the connections of an ended child succeeds without effect`() throws {
    let child = try start("exit 0")
    _ = try end(of: child)
    let (ended, obstacle) = ProcessSockets.endConnections(of: child)
    expect(ended, is: 0)
    #expect(obstacle == nil)
  }

  @Test func `A killed child is reported with its signal`() throws {
    let child = try start("read x <&3")
    #expect(ProcessTable.isAlive(child.identity, boot: boot))
    #expect(child.send(SIGKILL))
    let end = try end(of: child)
    expect(end.how, is: .signalled(SIGKILL))
    #expect(end.peakResidentBytes > 0)
    #expect(!ProcessTable.isAlive(child.identity, boot: boot))
  }

  @Test func `A stopped child is reported as stopped`() throws {
    let child = try start("kill -STOP $$; exit 3")
    let loop = try EventLoop()
    #expect(
      try loop.run(for: .seconds(60)) {
        loop.after(.milliseconds(1)) {}
        return ProcessTable.isStopped(child.identity.pid)
      })
    child.send(SIGCONT)
    expect(try end(of: child).how, is: .exited(code: 3))
  }

  @Test
  func `A child starts with its own process group, limits, environment, unmasked signals and descriptor 3`()
    throws
  {
    let ends = makePipe(nonblocking: false)
    let child = try start(
      """
      echo "stack $(ulimit -Ss) core $(ulimit -Sc)"
      echo "env $MALLOC_ARENA_MAX $SWIFT_BACKTRACE $BATON_OS_FD"
      test "$(cut -d' ' -f5 /proc/$$/stat)" = $$ && echo leader
      for fd in /proc/$$/fd/*; do n=${fd##*/}; test $n -gt 3 && test -S $fd && echo "leaked $n"; done
      test -S /proc/$$/fd/3 && echo channel
      grep -q '^SigBlk:.0*$' /proc/self/status && echo unmasked
      """, output: ends.writer)
    close(ends.writer)
    expect(try end(of: child).how, is: .exited(code: 0))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(ends.reader, &bytes, bytes.count)
    close(ends.reader)
    expect(
      String(decoding: bytes.prefix(max(0, count)), as: UTF8.self),
      is: "stack 256 core 0\nenv 1 enable=no 3\nleader\nchannel\nunmasked\n")
  }

  @Test func `The socket to a child carries messages both ways and ends with the child`() throws {
    let loop = try EventLoop()
    let child = try start("head -c 5 <&3 >&3")
    let connection = try #require(UnixConnection(adopting: child.channel, loop: loop))
    var heard: [ControlMessage] = []
    var ended: UnixConnection.End?
    connection.onMessage = { heard.append($0) }
    connection.onEnd = { ended = $0 }
    connection.start()
    connection.send(ControlMessage("hey", body: []))
    #expect(try loop.run(for: .seconds(60)) { ended != nil })
    expect(heard, is: [ControlMessage("hey")])
    expect(ended, is: .hungUp)
    expect(ChildEnd.reap(child.identity.pid)?.how, is: .exited(code: 0))
    close(child.pidfd)
  }

  @Test func `The error of a failed start is one sentence that names the path`() throws {
    #expect(throws: SystemError("start /nowhere/app", code: ENOENT)) {
      _ = try ChildProcess.start("/nowhere/app", arguments: [], boot: boot)
    }
    let error = SystemError("start /nowhere/app", code: ENOENT)
    expect(
      error.description, is: "cannot start /nowhere/app: there is no such file or directory; check the path")
  }
}
