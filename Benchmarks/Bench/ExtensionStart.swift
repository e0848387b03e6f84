import Ground
import ProcessSupport
import DaemonRuntime
import Glibc

/// Time from a push's start of the extension until the claim is durable and the channel re-established, and its
/// memory for one payment.
struct ExtensionStart {
  let stage: Stage
  let floor: FloorProgram

  func rows(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    var claimed: [Int64] = []
    var connected: [Int64] = []
    var floorClaimed: [Int64] = []
    var floorConnected: [Int64] = []
    let peer = try FloorPeer(floor)
    defer { peer.end() }
    // The very first start creates the container, with three times as many durable writes. On a phone the app does
    // that long before the first push.
    _ = try connect()
    for round in 1...rounds {
      let (startedAt, output) = try floor.run(["extension", peer.directory, peer.port])
      let figures = output.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
      guard figures.count == 4 else { throw BenchError("the floor printed \(output)") }
      floorClaimed.append(figures[1] - startedAt.nanoseconds)
      floorConnected.append(figures[2] - startedAt.nanoseconds)

      let run = try connect()
      claimed.append((try stage.instant(of: "\"claimed\"", in: run) - run.startedAt).nanoseconds)
      connected.append(
        (try stage.instant(of: "\"node\":{\"_0\":{\"established\"", in: run) - run.startedAt).nanoseconds)
      progress(round)
    }
    return [
      Row(
        name: "extension: spawn → claim durable", samples: Samples(claimed), floor: Samples(floorClaimed)),
      Row(
        name: "extension: spawn → connected", samples: Samples(connected), floor: Samples(floorConnected),
        aims: [.medianMilliseconds(15), .ratio(2.5)]),
    ]
  }

  /// One run of the extension: start, connect, end.
  private func connect() throws -> HeldProcess {
    let run = try stage.startExtension()
    stage.push(run)
    try stage.wait("the extension to be connected") { run.isConnected }
    run.send(ControlMessage("terminate"))
    try stage.wait("the extension to end") { run.hasEnded }
    return run
  }

  func memory(rounds: Int) throws -> [Row] {
    var resident: [Int64] = []
    var anonymous: [Int64] = []
    var floorResident: [Int64] = []
    let peer = try FloorPeer(floor)
    defer { peer.end() }
    for round in 1...rounds {
      let output = try floor.run(["extension", peer.directory, peer.port]).output
      floorResident += output.split(whereSeparator: \.isWhitespace).suffix(1).compactMap { Int64($0) }
      try stage.holdPayment(number: round)
      let run = try stage.startExtension()
      stage.push(run)
      try stage.wait("the payment's text") { run.count("content") > 0 }
      resident += run.kilobytes("VmHWM").map { [$0] } ?? []
      anonymous += run.kilobytes("RssAnon").map { [$0] } ?? []
      run.send(ControlMessage("terminate"))
      try stage.wait("the extension to end") { run.hasEnded }
    }
    return [
      Row(
        name: "extension: peak resident, one payment", samples: Samples(resident),
        floor: Samples(floorResident),
        unit: .kilobytes, aims: [.megabytes(8)]),
      Row(
        name: "extension: anonymous part of that", samples: Samples(anonymous), unit: .kilobytes),
    ]
  }
}

/// The floor's peer, on its own port.
private struct FloorPeer {
  let directory: String
  let port: String
  private let child: ChildProcess

  init(_ floor: FloorProgram) throws {
    directory = try Scratch.directory()
    let pipe = try OutputPipe()
    defer { pipe.closeReading() }
    child = try floor.start(["peer", directory], output: pipe.writing)
    pipe.closeWriting()
    port = pipe.readLine()
    guard !port.isEmpty else { throw BenchError("the floor's peer did not start") }
  }

  func end() {
    child.send(SIGKILL)
    _ = ChildEnd.reap(child.identity.pid)
    close(child.pidfd)
    close(child.channel)
    Scratch.remove(directory)
  }
}
