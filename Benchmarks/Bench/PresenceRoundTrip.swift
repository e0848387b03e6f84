import Ground
import DaemonRuntime
import Glibc
import Guardrails

/// One ping and its pong between two processes, each with its event loop, over the socket that presence uses.
///
/// Both processes, and both of the floor, share one processor: waking an idle processor takes far longer than the
/// measured round trip.
enum PresenceRoundTrip {
  static let pingArgument = "--ping"
  static let echoArgument = "--echo"
  private static let batch = 500
  private static let verb = "presence"

  static func rows(floor: FloorProgram, rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    let directory = try Scratch.directory()
    defer { Scratch.remove(directory) }
    let oneProcessor = FloorProgram(path: "/usr/bin/taskset")
    let own = "/proc/\(getpid())/exe"
    let socket = "\(directory)/presence.sock"
    var samples: [Int64] = []
    var floorSamples: [Int64] = []
    var loopSamples: [Int64] = []
    for done in stride(from: 0, to: rounds, by: batch) {
      floorSamples += try oneProcessor.samples(["--cpu-list", "0", floor.path, "presence", "\(batch)"])
      loopSamples += try oneProcessor.samples(
        ["--cpu-list", "0", floor.path, "presence-loop", "\(batch)"])
      samples += try oneProcessor.samples(
        ["--cpu-list", "0", own, pingArgument, socket, "--rounds", "\(batch)"])
      progress(min(rounds, done + batch))
    }
    return [
      Row(
        name: "presence: ping → pong", samples: Samples(samples), floor: Samples(floorSamples),
        aims: [.ratio(1.3)]),
      Row(
        name: "presence, against C with an event loop", samples: Samples(samples),
        floor: Samples(loopSamples)),
    ]
  }

  /// The pinging process: starts the other, and prints the duration of each round.
  static func ping(path: String, rounds: Int) throws {
    let loop = try EventLoop()
    let echo = try ChildProcess.start("/proc/self/exe", arguments: [echoArgument, path], boot: Clock().boot)
    defer {
      echo.send(SIGKILL)
      _ = ChildEnd.reap(echo.identity.pid)
    }
    var connection: UnixConnection?
    let end = Clock.monotonicNow + .seconds(30)
    while connection == nil, Clock.monotonicNow < end {
      connection = UnixConnection.connect(path: path, loop: loop)
      if connection == nil { _ = try loop.run(for: .milliseconds(5)) { false } }
    }
    guard let connection else { throw BenchError("the echo process did not start") }
    var pongs = 0
    connection.onMessage = { message in
      if PresenceMessage(decoding: message.body) != nil { pongs += 1 }
    }
    connection.start()
    for round in 1...rounds {
      let start = Clock.monotonicNow
      connection.send(ControlMessage(verb, body: PresenceMessage(code: .appPing).encoded()))
      while pongs < round {
        guard connection.end == nil else { throw BenchError("the echo process is gone") }
        try loop.turn(waitingMilliseconds: -1)
      }
      printLine("\((Clock.monotonicNow - start).nanoseconds)")
    }
    connection.close()
  }

  /// The other process: answers until it is killed.
  static func echo(path: String) throws {
    let loop = try EventLoop()
    let listener = try UnixListener(path: path, loop: loop) { connection in
      connection.onMessage = { [unowned connection] message in
        guard PresenceMessage(decoding: message.body) != nil else { return }
        connection.send(ControlMessage(verb, body: PresenceMessage(code: .appPong).encoded()))
      }
    }
    try loop.run()
    listener.shutDown()
  }
}
