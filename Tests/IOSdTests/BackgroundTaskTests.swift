@testable import IOSd

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

  @Test(.shows("D-1.1", "D-1.5", "D-7.2", "K-33"))
  func `A scheduled task runs and completes with success; a second completion is refused`()
    throws
  {
    let phone = try Self.used("app-task-twice")
    _ = try Self.task(phone, "completed")
    try Wait.until("the second completion is noted") {
      try phone.rows("tasks").last?["refused_completions"] as? Int == 1
    }
    let row = try Self.task(phone, "completed")
    expect(row["identifier"] as? String, is: sync)
    expect(row["success"] as? Bool, is: true)
    #expect(try Self.span(row) > 0)
    expect(try phone.rows("ps").count, is: 1)
  }

  @Test(.shows("M-2.3"))
  func `A scheduled task that does not complete within the grace after its time is recorded as expired`()
    throws
  {
    let phone = try Self.used("app-task-deaf", ["--refresh-time", "200ms", "--task-grace", "200ms"])
    let row = try Self.task(phone, "expired")
    expect(row["why"] as? String, is: "its time was up")
    #expect(try Self.span(row) >= 200_000_000)
    #expect(row["success"] == nil)
  }

  @Test(.shows("D-1.3", "D-8.1"))
  func `A task request whose identifier is not permitted is refused, and the app gets the reason`()
    throws
  {
    let phone = try Self.used("app-task-wrong")
    #expect(try Self.task(phone, "refused")["why"] as? String != nil)
    let other = try PhoneProcess(app: "app-task-wrong")
    try other.ask("open")
    try Wait.until("the app has the reason") {
      try other.said("app")?.contains("not among those that the app may use (com.example.lightning.sync")
        == true
    }
    let permitted = try Self.used("app-task-wrong", ["--permitted-task", "com.example.other"])
    _ = try Self.task(permitted, "running")
  }

  @Test(.shows("D-1.1")) func `An app that was killed is launched in the background for its scheduled task`()
    throws
  {
    let phone = try PhoneProcess(app: "app-task-twice", ["--time-scale", "1000"])
    let pid = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    kill(pid, SIGKILL)
    _ = try Self.task(phone, "completed")
    let last = try #require(try phone.rows("ps", all: false).last)
    expect(last["launch_reason"] as? String, is: "launched in the background for its task \(sync)")
    expect(try phone.state("app"), is: "background")
  }

  @Test
  func `A scheduled task that is waiting when iosd is killed is recorded as lost at the next start`() throws {
    let phone = try PhoneProcess(app: "app-task-deaf")
    try phone.ask("open")
    try Wait.until("the app has asked for its task") { try phone.rows("tasks").count > 0 }
    phone.process.kill()
    let file = try #require(FileHandle(forUpdatingAtPath: "\(phone.home)/os/tasks.jsonl"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"id\":7,\"tor\n".utf8))
    try phone.restart()
    let row = try #require(try phone.rows("tasks").last)
    expect(row["state"] as? String, is: "lost")
    expect(row["why"] as? String, is: "gone with an earlier iosd")
    try phone.ask("open")
    try Wait.until("there is a new row") { try phone.rows("tasks").count == 2 }
    expect(try phone.rows("tasks").last?["id"] as? Int, is: 2)
  }

  @Test func `Malformed task and audio messages of the app have no effect`() throws {
    let phone = try PhoneProcess(app: "app-task-garbage", ["--background-mode", "audio"])
    try phone.ask("open")
    try Wait.until("the app has said it") { try phone.said("app") == "said it" }
    #expect(try phone.rows("tasks").isEmpty)
    #expect(try phone.status()["now_playing"] == nil)
  }
}

@Suite(.waits) struct BackgroundAudioTests {
  private static func left(_ app: String, _ options: [String] = ["--background-mode", "audio"]) throws
    -> PhoneProcess
  {
    let phone = try PhoneProcess(app: app, options)
    try phone.ask("open")
    try phone.ask("home")
    return phone
  }

  @Test(.shows("M-1.2", "M-1.4", "M-1.5", "M-1.7"))
  func `The status shows the app's audio until another app's audio interrupts it`()
    throws
  {
    let phone = try Self.left("app-audio")
    try Wait.until("it plays") { try phone.status()["now_playing"] != nil }
    let playing = try #require(try phone.status()["now_playing"] as? [String: Any])
    expect(playing["by"] as? String, is: "app")
    expect(playing["volume"] as? String, is: "0.01")
    expect(playing["loops"] as? Int, is: -1)
    expect(playing["mixes"] as? Bool, is: false)
    try phone.ask("device", ["audio": "yes"])
    #expect(try phone.status()["now_playing"] == nil)
    try Wait.until("the app says so") { try phone.said("app")?.contains("interrupted") == true }
  }

  @Test(.shows("M-1.4", "M-13.1"))
  func
    `The wallet plays an endless second of audio, only in the background, and only with --keep-alive-audio`()
    throws
  {
    let app = "\(Started.directory)/mainappd"
    let quiet = try Self.left(app)
    let other = try Self.left(app, ["--background-mode", "audio", "--keep-alive-audio"])
    try Wait.until("it plays") { try other.status()["now_playing"] != nil }
    let playing = try #require(try other.status()["now_playing"] as? [String: Any])
    expect(playing["volume"] as? String, is: "0.01")
    #expect(playing["loops"] as? Int == -1 && playing["channels"] as? Int == 1)
    #expect(playing["rate_hz"] as? Int == 44_100 && playing["frames"] as? Int == 44_100)
    #expect(try quiet.status()["now_playing"] == nil)
    try other.ask("open")
    try Wait.until("it stops") { try other.status()["now_playing"] == nil }
  }

  @Test
  func `A volume is 0 to 1 with at most three decimals; other texts are refused`() throws {
    for (text, thousandths) in [("0", 0), ("1", 1000), ("0.01", 10), ("0.5", 500), ("1.000", 1000)] {
      expect(try AudioMessages.volume(text), is: thousandths)
    }
    for text in ["", ".", "1.", ".5", "1.001", "2", "-1", "0.0001", "0.0.1", "1e0", "٣", "+1"] {
      #expect(throws: (any Error).self) { try AudioMessages.volume(text) }
    }
    for thousandths in [0, 1, 10, 250, 999, 1000] {
      expect(try AudioMessages.volume(AudioMessages.volumeText(thousandths)), is: thousandths)
    }
  }
}
