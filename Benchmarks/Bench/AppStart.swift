import DaemonRuntime
import Glibc
import Ground
import ProcessSupport

/// Time from the start of the app, which the user opens at once, until it is connected; and the processor time of a
/// start that does nothing.
struct AppStart {
  let stage: Stage

  func rows(rounds: Int, progress: (Int) -> Void) throws -> [Row] {
    var connected: [Int64] = []
    var processor: [Int64] = []
    for round in 0...rounds {
      let app = try stage.startApp()
      app.send(ControlMessage("enter-foreground"))
      try stage.wait("the app to be connected") { app.isConnected }
      app.send(ControlMessage("terminate"))
      try stage.wait("the app to end") { app.hasEnded }
      // The first makes the container.
      guard round > 0 else { continue }
      connected.append(
        (try stage.instant(of: "\"node\":{\"_0\":{\"established\"", in: app) - app.startedAt).nanoseconds)
      let idle = try stage.start("mainappd", ["--version"])
      try stage.wait("\(idle.pid) to end") { idle.hasEnded }
      if let end = idle.end {
        processor.append(Int64(end.userMicroseconds + end.systemMicroseconds) * 1000)
      }
      progress(round)
    }
    return [
      Row(name: "app: cold start → connected", samples: Samples(connected)),
      Row(
        name: "app: processor time of mainappd --version", samples: Samples(processor),
        aims: [.medianMilliseconds(1.5)]),
    ]
  }
}
