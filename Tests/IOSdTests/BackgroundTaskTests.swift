import Baton
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

private let sync = "com.example.lightning.sync"

@Suite(.waits) struct BackgroundTaskTests {
  /// A phone on which the user opened and left the app; an hour is a few milliseconds.
  private static func used(_ app: String, _ options: [String] = []) throws -> PhoneProcess {
    let phone = try PhoneProcess(
      app: app, ["--time-scale", "100000", "--task-deferral", "0"] + options)
    try phone.ask("open")
    try Wait.until("the app is in front") { try phone.state("app") == "foreground" }
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    try phone.ask("home")
    return phone
  }

  /// The newest task's row, once it has one of these states.
  private static func task(_ phone: PhoneProcess, _ states: String...) throws -> [String: Any] {
    var row: [String: Any] = [:]
    try Wait.until("a task is \(states)") {
      row = try phone.rows("tasks").last ?? [:]
      return states.contains(row["state"] as? String ?? "")
    }
    return row
  }

  private static func span(_ row: [String: Any]) throws -> Int64 {
    let (from, to) = (row["launched_at_ns"] as? Int64, row["ended_at_ns"] as? Int64)
    return try #require(to) - #require(from)
  }

  @Test
  func
    `D-1.1, D-1.5, D-7.2, K-33 A scheduled task runs and completes with success; a second completion is refused`()
    throws
  {
    let phone = try Self.used("app-task-twice")
    _ = try Self.task(phone, "completed")
    try Wait.until("the second completion is noted") {
      try phone.rows("tasks").last?["refused_completions"] as? Int == 1
    }
    let row = try Self.task(phone, "completed")
    #expect(row["identifier"] as? String == sync)
    #expect(row["success"] as? Bool == true)
    #expect(try Self.span(row) > 0)
    #expect(try phone.rows("ps").count == 1)
  }

  @Test
  func `D-1.4, M-2.3 A scheduled task whose time is up may still complete, as failed, within the grace`()
    throws
  {
    let phone = try Self.used("app-task-slow", ["--refresh-time", "200ms", "--task-grace", "20s"])
    let row = try Self.task(phone, "failed", "expired", "completed")
    #expect(row["state"] as? String == "failed")
    #expect(row["success"] as? Bool == false)
    #expect(try Self.span(row) >= 100_000_000)
  }

  @Test
  func
    `M-2.3 A scheduled task that does not complete within the grace after its time is recorded as expired`()
    throws
  {
    let phone = try Self.used("app-task-deaf", ["--refresh-time", "200ms", "--task-grace", "200ms"])
    let row = try Self.task(phone, "expired")
    #expect(row["why"] as? String == "its time was up")
    #expect(try Self.span(row) >= 200_000_000)
    #expect(row["success"] == nil)
  }

  @Test
  func
    `D-1.3, D-8.1 A task request whose identifier is not permitted is refused, and the app gets the reason`()
    throws
  {
    let phone = try Self.used("app-task-wrong")
    #expect(try Self.task(phone, "refused")["why"] as? String != nil)
    let other = try PhoneProcess(app: "app-task-wrong")
    try other.ask("open")
    try Wait.until("the app has the reason") {
      let app = try other.status()["app"] as? [String: Any]
      let text = (app?["status"] as? [String: Any])?["text"] as? String
      return text?.contains("not among those that the app may use (com.example.lightning.sync") == true
    }
    let permitted = try Self.used("app-task-wrong", ["--permitted-task", "com.example.other"])
    _ = try Self.task(permitted, "running")
  }

  @Test
  func `D-1.1 An app that was killed is launched in the background for its scheduled task`() throws {
    let phone = try PhoneProcess(app: "app-task-twice", ["--time-scale", "1000"])
    let pid = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    kill(pid, SIGKILL)
    _ = try Self.task(phone, "completed")
    let last = try #require(try phone.rows("ps", all: false).last)
    #expect(last["launch_reason"] as? String == "launched in the background for its task \(sync)")
    #expect(try phone.state("app") == "background")
  }

  @Test
  func
    `M-3.5, D-8.3 A processing task waits for lock screen, charger and network; unlocking the phone expires it`()
    throws
  {
    let phone = try Self.used("app-task-processing")
    let why = { (word: String) in
      try Wait.until("it waits for \(word)") {
        (try phone.rows("tasks").last?["why"] as? String)?.contains(word) == true
      }
    }
    try why("in use")
    try phone.ask("device", ["network": "no"])
    try phone.ask("device", ["locked": "yes"])
    try why("charger")
    try phone.ask("device", ["charger": "yes"])
    try why("network")
    try phone.ask("device", ["network": "yes"])
    _ = try Self.task(phone, "running")
    try phone.ask("device", ["locked": "no"])
    let row = try Self.task(phone, "expired")
    #expect(row["why"] as? String == "the user picked up the phone")
  }

  @Test
  func `M-2.5 A scheduled task waits while Background App Refresh is off`() throws {
    let phone = try PhoneProcess(app: "app-task-twice", ["--time-scale", "100000"])
    try phone.ask("open")
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    try phone.ask("device", ["background-refresh": "no"])
    try phone.ask("home")
    try Wait.until("it waits") {
      try phone.rows("tasks").last?["why"] as? String == "background app refresh is off"
    }
    try phone.ask("device", ["background-refresh": "yes"])
    _ = try Self.task(phone, "completed")
  }

  @Test
  func
    `D-6.1, B-C.2 In a debug build the user can start and expire scheduled tasks by hand, in a production build not`()
    throws
  {
    let phone = try PhoneProcess(app: "app-task-deaf", ["--build", "debug", "--task-grace", "50ms"])
    try phone.ask("open")
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    #expect(
      try phone.refusal("task-launch", ["identifier": "x"])?.contains("no such task is pending") == true)
    #expect(
      try phone.refusal("task-expire", ["identifier": sync])?.contains("no such task is running") == true)
    try phone.ask("task-launch", ["identifier": sync])
    #expect(try Self.task(phone, "running")["by_hand"] as? Bool == true)
    try phone.ask("task-expire", ["identifier": sync])
    #expect(try Self.task(phone, "expired")["why"] as? String == "it was expired by hand")
    let production = try PhoneProcess(app: "app-task-deaf")
    for verb in ["task-launch", "task-expire"] {
      let refusal = try production.refusal(verb, ["identifier": sync])
      #expect(refusal?.contains("only a debug build") == true)
    }
  }

  @Test
  func `A scheduled task that is waiting when iosd is killed is recorded as lost at the next start`() throws {
    let phone = try PhoneProcess(app: "app-task-deaf")
    try phone.ask("open")
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    kill(phone.process.processIdentifier, SIGKILL)
    phone.process.waitUntilExit()
    let file = try #require(FileHandle(forUpdatingAtPath: "\(phone.home)/os/tasks.jsonl"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"id\":7,\"tor\n".utf8))
    try phone.restart()
    let row = try #require(try phone.rows("tasks").last)
    #expect(row["state"] as? String == "lost")
    #expect(row["why"] as? String == "gone with an earlier iosd")
    try phone.ask("open")
    try Wait.until("there is a new row") { try phone.rows("tasks").count == 2 }
    #expect(try phone.rows("tasks").last?["id"] as? Int == 2)
  }

  @Test
  func `Malformed task and audio messages of the app have no effect`() throws {
    let phone = try PhoneProcess(app: "app-task-garbage", ["--background-mode", "audio"])
    try phone.ask("open")
    try Wait.until("the app has said it") {
      let app = try phone.status()["app"] as? [String: Any]
      return (app?["status"] as? [String: Any])?["text"] as? String == "said it"
    }
    #expect(try phone.rows("tasks").isEmpty)
    #expect(try phone.status()["now_playing"] == nil)
  }
}
