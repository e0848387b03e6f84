extension TemporaryDirectory {
  static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// Starts a program of the project by name, or any other by path, with all its output in one file. Not by
  /// Foundation, which also waits for daemons that inherit from the process.
  func start(_ program: String, _ arguments: [String], into name: String = "said") throws -> ChildProcess {
    write(name, "")
    var options = ChildProcess.Options()
    options.stackBytes = -1
    options.diesWithParent = false
    options.output = open(self(name), O_WRONLY | O_CLOEXEC)
    defer { close(options.output) }
    let path = program.hasPrefix("/") ? program : "\(Self.programs)/\(program)"
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", #"exec "$0" "$@" 2>&1"#, path] + arguments, boot: Clock().boot,
      options: options)
    close(child.channel)
    return child
  }

  func end(_ child: ChildProcess) -> ProcessEnd? {
    defer { close(child.pidfd) }
    return ChildEnd.reap(child.identity.pid)?.how
  }
}
