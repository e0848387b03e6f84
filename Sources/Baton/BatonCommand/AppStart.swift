import PhoneClient
import Ground
import DaemonRuntime

/// Watches an app that was just opened: a broken one ends at once.
struct AppStart {
  /// How long an app without a status is watched.
  private static let timeout = TimeSpan.seconds(1)
  private static let lookInterval = TimeSpan.milliseconds(10)

  let phone: Phone
  let pid: Int32

  /// Why it ended; nil once it has a status or has run for `timeout`.
  func end() throws -> String? {
    let deadline = Clock.monotonicNow + Self.timeout
    let process = WatchedProcess(pid: pid)
    while Clock.monotonicNow < deadline {
      let app = try phone.facts().app
      if app.pid != pid { return try reason() }
      if app.status?["text"] != nil { return nil }
      _ = process?.waitForEnd(within: Self.lookInterval)
    }
    return nil
  }

  private func reason() throws -> String? {
    try phone.allProcesses().last { $0.pid == pid && $0.hasEnded }
      .map { $0.wholeReason ?? "for an unknown reason" }
  }
}
