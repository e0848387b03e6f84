import CoreShape
import DaemonRuntime
import Glibc
import Guardrails

/// One ping and its pong between two processes, each with its event loop, over the socket that presence uses.
struct PresenceRoundTrip {
  let floor: FloorProgram
  let ownPath: String
  static let echoArgument = "--echo"
  private static let batch = 500
  private static let verb = "presence"

  func row(rounds: Int, progress: (Int) -> Void) throws -> Row {
    let directory = try Scratch.directory()
    defer { Scratch.remove(directory) }
    let loop = try EventLoop()
    let path = "\(directory)/presence.sock"
    let echo = try ChildProcess.start(
      ownPath, arguments: [Self.echoArgument, path], boot: Clock().boot)
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
    var samples: [Int64] = []
    var floorSamples: [Int64] = []
    for done in stride(from: 0, to: rounds, by: Self.batch) {
      floorSamples += try floor.samples(["presence", "\(Self.batch)"])
      for _ in 0..<Self.batch {
        let start = Clock.monotonicNow
        let sought = pongs + 1
        connection.send(ControlMessage(Self.verb, body: PresenceMessage(code: .appPing).encoded()))
        while pongs < sought { try loop.turn(waitingMilliseconds: -1) }
        samples.append((Clock.monotonicNow - start).nanoseconds)
      }
      progress(min(rounds, done + Self.batch))
    }
    connection.close()
    return Row(
      name: "presence: ping → pong", samples: Samples(samples), floor: Samples(floorSamples),
      aims: [.ratio(1.3)])
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
