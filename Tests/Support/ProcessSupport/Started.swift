import DaemonRuntime
import Glibc
import Ground

/// A program as started in a terminal, without a channel to a phone. It is killed when nobody refers to it any more.
package final class Started {
  package struct Ran: Sendable {
    package var code: Int32
    package var output: String
    package var errors: String
  }

  /// The directory of the package's programs: beside the test bundle.
  package static let directory: String = {
    let path = realpath("/proc/self/exe", nil)
    defer { free(path) }
    return path.map { String(cString: $0).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } }
      ?? ""
  }()

  private static let silence = open("/dev/null", O_RDWR | O_CLOEXEC)
  /// A shell replaces itself by the program.
  private static let alone = #"unset BATON_OS_FD; exec "$0" "$@" 3>&-"#
  private let child: ChildProcess
  private var ended: ChildEnd?

  /// `name`: a program of this package, or a path. Its input is empty, and nobody sees its output, without descriptors
  /// for them.
  package init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil,
    output: Int32? = nil, errors: Int32? = nil
  ) throws {
    var options = ChildProcess.Options()
    // The test's thread may end before the test does.
    options.diesWithParent = false
    options.stackBytes = -1
    options.input = input ?? Self.silence
    options.output = output ?? Self.silence
    options.error = errors ?? Self.silence
    options.environment += environment.map { ($0.key, $0.value) }
    child = try ChildProcess.start(
      "/bin/sh",
      arguments: ["-c", Self.alone, name.contains("/") ? name : "\(Self.directory)/\(name)"] + arguments,
      boot: Clock().boot, options: options)
    close(child.channel)
  }

  deinit {
    if isRunning { kill() }
    close(child.pidfd)
  }

  package var identity: ProcessIdentity { child.identity }
  package var pid: Int32 { identity.pid }
  package var pidfd: Int32 { child.pidfd }

  package var isRunning: Bool {
    if ended == nil { ended = ChildEnd.reap(pid, waiting: false) }
    return ended == nil
  }

  package func send(_ signal: Int32) { child.send(signal) }

  /// How it ended, once it has.
  package func end() -> ProcessEnd? {
    if ended == nil { ended = ChildEnd.reap(pid) }
    return ended?.how
  }

  /// Its exit code, once it has ended; after a signal, 128 and the signal's number, as a shell has it.
  @discardableResult package func waitForEnd() -> Int32 {
    switch end() {
    case .exited(let code): code
    case .signalled(let number): 128 + number
    case nil: -1
    }
  }

  /// Sends SIGKILL and waits for the end.
  package func kill() {
    send(SIGKILL)
    waitForEnd()
  }

  /// Runs a program to its end.
  package static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil
  ) throws -> Ran {
    let (output, errors) = (try file(), try file())
    defer {
      close(output)
      close(errors)
    }
    let program = try Started(
      name, arguments, environment: environment, input: input, output: output, errors: errors)
    let code = program.waitForEnd()
    return Ran(code: code, output: text(of: output), errors: text(of: errors))
  }

  private static func file() throws -> Int32 {
    var template = Array("/tmp/baton-output-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("make a file") }
    unlink(template)
    return descriptor
  }

  private static func text(of file: Int32) -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while case let count = pread(file, &part, part.count, off_t(bytes.count)), count > 0 {
      bytes += part.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
