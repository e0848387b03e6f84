import PhoneClient
import Ground
import DaemonRuntime

/// What becomes of an app that was just opened: some end before anybody has seen them.
struct AppStart {
  /// An app that says nothing of itself is given this to end in.
  private static let patience = TimeSpan.seconds(1)
  private static let lookInterval = TimeSpan.milliseconds(10)

  let phone: Phone
  let pid: Int32

  /// Why it ended; nil as soon as it says what it does, or when it goes on for long enough.
  func end() throws -> String? {
    let deadline = Clock.monotonicNow + Self.patience
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
      .map { $0.wholeReason ?? "for a reason that is not known" }
  }
}
