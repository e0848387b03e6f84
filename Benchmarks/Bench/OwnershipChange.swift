import Ground
import ProcessSupport
import DaemonRuntime
import Glibc

/// How long the node has no owner in a takeover and in a handover.
struct OwnershipChange {
  let stage: Stage

  /// The extension is stopped, so that it cannot hand over, and killed while the app in front waits.
  func takeover(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    var claimed: [Int64] = []
    var connected: [Int64] = []
    let app = try stage.startApp()
    for round in 1...rounds {
      let holder = try connectedExtension()
      holder.kill(SIGSTOP)
      app.send(ControlMessage("enter-foreground"))
      try stage.wait("the app to wait") { app.status.hasPrefix("receiving payment in background") }
      let killedAt = stage.clock.now
      holder.kill(SIGKILL)
      try stage.wait("the app to be connected") { app.isConnected }
      claimed.append((try stage.instant(of: "\"claimed\"", in: app) - killedAt).nanoseconds)
      connected.append((try established(app) - killedAt).nanoseconds)
      try putAway(app)
      try stage.wait("the end of the killed") { holder.hasEnded }
      progress(round)
    }
    try end(app)
    return [
      Row(
        name: "takeover: SIGKILL → claim durable", samples: Samples(claimed), aims: [.p99Milliseconds(10)]),
      Row(name: "takeover: SIGKILL → connected", samples: Samples(connected)),
    ]
  }

  /// The extension is connected and the user opens the app. Each round has an app of its own: one app handles some
  /// messages of extensions at once, and later ones in its own time.
  func handover(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    var claimed: [Int64] = []
    var connected: [Int64] = []
    for round in 1...rounds {
      let app = try stage.startApp()
      try stage.wait("the app's start") { app.hasSaidHello }
      let holder = try connectedExtension()
      let askedAt = stage.clock.now
      app.send(ControlMessage("enter-foreground"))
      try stage.wait("the app to be connected") { app.isConnected }
      claimed.append((try stage.instant(of: "\"claimed\"", in: app) - askedAt).nanoseconds)
      connected.append((try established(app) - askedAt).nanoseconds)
      try end(holder)
      try end(app)
      progress(round)
    }
    return [
      Row(
        name: "handover: app opened → claim durable", samples: Samples(claimed), aims: [.p99Milliseconds(5)]),
      Row(name: "handover: app opened → connected", samples: Samples(connected)),
    ]
  }

  private func connectedExtension() throws -> HeldProcess {
    let run = try stage.startExtension()
    stage.push(run)
    try stage.wait("the extension to be connected") { run.isConnected }
    return run
  }

  private func established(_ run: HeldProcess) throws -> Instant {
    try stage.instant(of: "\"node\":{\"_0\":{\"established\"", in: run)
  }

  private func putAway(_ app: HeldProcess) throws {
    let releases = app.count("background-done")
    app.send(ControlMessage("enter-background"))
    try stage.wait("the app to release the node") { app.count("background-done") > releases }
  }

  private func end(_ run: HeldProcess) throws {
    run.send(ControlMessage("terminate"))
    try stage.wait("\(run.pid) to end") { run.hasEnded }
  }
}
