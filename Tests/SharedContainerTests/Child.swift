/// A running TestClaimer. The test reads its standard output and can close its standard input.
final class Child {
  let pid: pid_t
  private let output: Int32
  private var input: Int32
  private var status: Int32?

  /// Nil if it could not be started. The gates appear in the child as descriptors 100 and up.
  init?(_ arguments: [String], gates: [Int32] = []) {
    guard let toChild = Pipe(), let fromChild = Pipe() else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild.writing, STDOUT_FILENO)
    for (index, gate) in gates.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, gate, 100 + Int32(index))
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([Self.program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, Self.program, &actions, nil, &words, environ)
    close(toChild.reading)
    close(fromChild.writing)
    self.pid = pid
    input = toChild.writing
    output = fromChild.reading
    if code != 0 { return nil }
  }

  deinit {
    if status == nil {
      kill(pid, SIGKILL)
      _ = exitStatus()
    }
    close(output)
    closeInput()
  }

  /// The next byte of the child's output; nil after its end.
  func nextByte() -> UInt8? {
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(output, &byte, 1) } while count < 0 && errno == EINTR
    return count == 1 ? byte : nil
  }

  /// The rest of the child's output.
  func remainingText() -> String {
    var bytes: [UInt8] = []
    while let byte = nextByte() { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits until the child has stopped itself.
  func waitUntilStopped() -> Bool {
    var state: Int32 = 0
    return waitpid(pid, &state, WUNTRACED) == pid && state & 0xFF == 0x7F
  }

  func killNow() { kill(pid, SIGKILL) }

  /// The exit code; after a signal its number plus 128.
  func exitStatus() -> Int32 {
    if let status { return status }
    var state: Int32 = 0
    while waitpid(pid, &state, 0) < 0 && errno == EINTR {}
    let result = state & 0x7F == 0 ? state >> 8 & 0xFF : 128 + state & 0x7F
    status = result
    return result
  }

  private static let program = "\(Started.directory)/TestClaimer"
}

/// Two connected descriptors with close-on-exec, which a plain pipe does not have.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init?() {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    reading = ends[0]
    writing = ends[1]
  }

  func shut() {
    close(reading)
    close(writing)
  }
}
