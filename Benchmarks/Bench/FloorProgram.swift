import Ground
import DaemonRuntime
import Glibc

/// The C program with the same work.
struct FloorProgram {
  var path: String

  /// Its output; throws if it failed.
  func run(_ arguments: [String]) throws -> (startedAt: Instant, output: String) {
    let pipe = try OutputPipe()
    defer { pipe.closeReading() }
    let startedAt = Clock.monotonicNow
    let child = try start(arguments, output: pipe.writing)
    pipe.closeWriting()
    let output = pipe.readAll()
    close(child.channel)
    close(child.pidfd)
    guard ChildEnd.reap(child.identity.pid)?.how == .exited(code: 0) else {
      throw BenchError("the floor \(arguments.joined(separator: " ")) failed")
    }
    return (startedAt, output)
  }

  func samples(_ arguments: [String]) throws -> [Int64] {
    try run(arguments).output.split(separator: "\n").compactMap { Int64($0) }
  }

  func start(_ arguments: [String], output: Int32) throws -> ChildProcess {
    var options = ChildProcess.Options()
    options.output = output
    options.stackBytes = 8 * 1024 * 1024
    return try ChildProcess.start(path, arguments: arguments, boot: Clock().boot, options: options)
  }
}

/// The reason why the bench has no figures.
struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
