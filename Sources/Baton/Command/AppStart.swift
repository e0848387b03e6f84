import Ground
import DaemonRuntime

/// Watches an app that was just opened: a broken one ends at once, or says nothing.
struct AppStart {
  /// How long an app without a status is watched.
  private static let timeout = TimeSpan.seconds(1)
  /// How long an app may be silent: it says hello first of all.
  private static let silenceMax = TimeSpan.seconds(10)

  let phone: Phone
  let pid: Int32

  /// Returns once it has a status, or has said something and has run for `timeout`.
  func check() throws {
    let begun = Clock.monotonicNow
    let process = WatchedProcess(pid: pid)
    while true {
      let app = try phone.facts().app
      if app.pid != pid {
        throw CommandFailure(
          .notDone, "the app ended right after its start (process \(pid)): \(try reason())")
      }
      if app.status?["text"] != nil { return }
      let waited = Clock.monotonicNow - begun
      if app.silentMs == nil, waited >= Self.timeout { return }
      try require(
        waited < Self.silenceMax, .tooSlow, "the app (process \(pid)) is \(app.silence ?? "silent")")
      _ = process?.waitForEnd(within: .milliseconds(waited < Self.timeout ? 10 : 100))
    }
  }

  private func reason() throws -> String {
    try phone.allProcesses().last { $0.pid == pid && $0.hasEnded }?.wholeReason ?? "for an unknown reason"
  }
}
