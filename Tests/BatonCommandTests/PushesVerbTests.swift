@testable import Baton
@testable import PhonePolicy

@Suite("baton list pushes", .waits) struct PushesVerbTests {
  private func value(_ text: String) throws -> JSONValue {
    try #require(JSONValue(parsing: Array(text.utf8)))
  }

  @Test(
    .shows("B-1.5.3a", "B-1.5.3b", "B-1.5.3c", "B-1.5.3d", "B-1.5.3e", "B-M.4", "B-M.5", "B-M.2", "B-C.1"))
  func `baton list pushes prints counts, times and memory of silent pushes and tasks`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--silent-pushes", "--build", "debug")
    expect(try phone.run("list", "pushes"), is: "no push has arrived yet; `baton push` delivers one\n")
    // Then only the app, woken by the silent push, can receive.
    _ = try phone.run("device", "notifications", "off")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "home")
    try phone.waitUntilAway()
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
    try Wait.until("the app to be done") { try phone.fates().last == "completed with new-data" }
    let said = try phone.run("push", "--silent", "--type", "Other")
    #expect(said.hasSuffix(" was delivered to the phone\n"))
    try Wait.until("the app to be done") { try phone.fates().last == "completed with no-data" }
    _ = try phone.run("app", "launch-task", "com.example.lightning.sync")
    try Wait.until("the task to be done") { try phone.run("list", "tasks").contains("completed") }
    let text = try phone.run("list", "pushes")
    #expect(
      text.contains(
        "2 arrived, 2 were handed to the app, with 1 the app received a payment, with 0 it did not"))
    #expect(text.contains("the node started ") && text.contains("the node was connected "))
    #expect(text.contains("background tasks: 1 completed of 1 begun"))
    let json = try value(try phone.run("list", "pushes", "--json"))
    let pushes = try #require(json["pushes"]?.elements)
    expect(pushes.map { $0["visible"]?.flag }, is: [true, false, false])
    let start = try #require(pushes[1]["node_start_ms"]?.int)
    let connected = try #require(pushes[1]["connected_ms"]?.int)
    // In nanoseconds: where the machine is quick, the node starts within the first millisecond.
    let times = PushTimes.written(in: phone.phone.journal)
    let time = try #require(times.first { $0.isSilent && $0.nodeStarted != nil })
    let exact = [try #require(time.nodeStarted), try #require(time.connected)]
    #expect(.zero < exact[0] && exact[0] < exact[1])
    expect([Int64(start), Int64(connected)], is: exact.map(\.wholeMilliseconds))
    #expect(pushes[2]["node_start_ms"] == nil)
    expect(json["silent"]?["connected_ms"]?.elements?.count, is: 1)
    let paid = try phone.phone.askForJSON(.lspd, ControlMessage("payments")).elements ?? []
    let settled = paid.filter { $0["state"]?.text == "paid" }
    expect(settled.count, is: 1)
    expect(json["silent"]?["received"]?.int, is: 1)
    _ = try phone.run("down")
    let off = try phone.run("list", "pushes")
    #expect(off.contains("with 1 the app received a payment"), "also when the phone is off")
    // The node of the app that has received the payment, with its start and its end.
    #expect(off.contains("memory of processes that have ended: the app at most "))
    #expect(off.contains("(1 process), the app at work on a silent push at most "))
    #expect(off.contains("of 1 payment announced by a push, 1 was received within 15 s of it"))
    let after = try value(try phone.run("list", "pushes", "--json"))
    let peak = try #require(after["memory"]?["app_at_work_bytes"]?.uint)
    #expect(peak > 1_000_000 && peak < 100 * 1_048_576)
    expect(after["memory"]?["app_at_work_processes"]?.int, is: 1)
    #expect(after["memory"]?["extension_bytes"] == nil, "no extension has run")
    #expect(after["success"]?["announced"]?.int == 1 && after["success"]?["received_in_time"]?.int == 1)
    expect(after["success"]?["bound_ms"]?.int, is: 15_000)
  }

  private func task(_ id: UInt64, _ state: String, launchedAt: Int64? = nil) -> TaskRow {
    var row = TaskRow(
      id: id, of: TaskRequest(identifier: "a", kind: .refresh), wall: 1, at: 1, earliestAt: 1)
    (row.state, row.launchedAtNs) = (state, launchedAt)
    return row
  }

  private func figures(pushes: [String], tasks: [TaskRow] = [], times: [PushTime] = []) throws
    -> PushFigures
  {
    PushFigures(
      pushes: PushRow.rows(in: pushes.joined(separator: "\n").utf8),
      notifications: [
        NotificationRow(id: 1, push: 1, source: "content", title: "", body: "", badge: 0, wallNs: 1, atNs: 1)
      ],
      tasks: tasks, times: times)
  }

  @Test(.shows("B-1.5.3e", "B-M.4"))
  func `A push's last row counts, and only completed pushes and tasks count as completed`()
    throws
  {
    let figures = try figures(
      pushes: [
        #"{"id":1,"visible":true,"mutable_content":true,"wall_ns":1,"at_ns":1}"#,
        #"{"id":2,"visible":false,"mutable_content":false,"wall_ns":2,"at_ns":2,"fate":"delivered","fate_code":"delivered"}"#,
        #"{"id":2,"visible":false,"mutable_content":false,"wall_ns":2,"at_ns":2,"fate":"completed with new-data","fate_code":"completed","fate_detail":"new-data"}"#,
        #"{"none":1}"#,
        #"{"id":3,"visible":false,"mutable_content":false,"wall_ns":3,"at_ns":3,"fate":"completed with failed","fate_code":"completed","fate_detail":"failed"}"#,
        #"{"id":4,"visible":true,"mutable_content":true,"wall_ns":4,"at_ns":4}"#,
      ]
        + (5...7).map {
          #"{"id":\#($0),"visible":false,"mutable_content":false,"wall_ns":5,"at_ns":5,"fate":"completed with no-data","fate_code":"completed","fate_detail":"no-data"}"#
        } + [
          #"{"id":8,"visible":false,"mutable_content":false,"wall_ns":8,"at_ns":8,"fate":"delivered","fate_code":"delivered"}"#
        ],
      tasks: [
        task(1, "running", launchedAt: 1), task(1, "completed", launchedAt: 1),
        task(2, "expired", launchedAt: 1), task(3, "waiting"),
      ],
      times: [2, 3, 5, 6, 8].map { id in
        PushTime(push: id, arrivedAt: Instant(nanoseconds: 9), isWakingForPayment: id != 6)
      })
    expect(
      figures.pushes.map(\.first.fate),
      is: ["shown", "completed with new-data", "completed with failed", "not shown yet"]
        + Array(repeating: "completed with no-data", count: 3) + ["delivered"])
    #expect((figures.silent.arrived, figures.silent.handlerStarts, figures.silent.received) == (6, 5, 1))
    // Not push 6, of another type, nor push 7, which never reached the app, nor push 8, which is not completed.
    expect(figures.silent.leftToVisible, is: 2)
    #expect((figures.tasks.begun, figures.tasks.completed) == (2, 1))
  }

  @Test func `A badge or sound without an alert is no silent push, and its effect is shown`() throws {
    let row =
      #"{"id":2,"visible":false,"mutable_content":false,"badge_or_sound":true,"wall_ns":2,"at_ns":2,"fate":"no notification: the badge is 5","fate_code":"applied","applied_badge":5}"#
    let figures = try figures(pushes: [row])
    expect(figures.silent.arrived, is: 0)
    expect(figures.pushes.map(\.first.fate), is: ["no notification: the badge is 5"])
    #expect(figures.sentences.isEmpty)
    let json = try #require(try value(figures.json)["pushes"]?.elements?.first)
    #expect(json["badge_or_sound"]?.flag == true && json["visible"]?.flag == false)
    #expect(json["fate_code"]?.text == "applied" && json["applied_badge"]?.int == 5)
  }

  @Test(.shows("B-C.1", "B-M.2"))
  func `Memory counts ended extensions, and the app only where its node ran for a silent push`()
    throws
  {
    func ended(_ id: UInt64, _ role: String, _ pid: Int32, _ bytes: UInt64?) -> ProcessRow {
      var row = ProcessRow(
        id: id, role: role, pid: pid, startTime: 1, path: "", launchReason: "push", startedWallNs: 1,
        startedAtNs: 1)
      row.peakFootprintBytes = bytes
      return row
    }
    func time(_ push: UInt64, _ pid: Int32, started: Bool) -> PushTime {
      PushTime(
        push: push, process: pid, arrivedAt: Instant(nanoseconds: 1),
        nodeStarted: started ? .milliseconds(5) : nil)
    }
    let memory = PeakMemory(
      [
        ended(1, "extension", 10, 7_000_000), ended(2, "extension", 11, 8_000_000),
        ended(3, "extension", 12, nil),
        ended(4, "app", 20, 30_000_000), ended(5, "app", 21, 20_000_000), ended(6, "app", 22, 40_000_000),
      ], times: [time(1, 20, started: true), time(2, 21, started: true), time(3, 22, started: false)])
    #expect(memory.extensionBytes == 8_000_000 && memory.extensionProcesses == 2)
    #expect(memory.appBytes == 40_000_000 && memory.appProcesses == 3)
    #expect(memory.appAtWorkBytes == 30_000_000 && memory.appAtWorkProcesses == 2)
  }

  @Test func `A visible push that is shown with its original alert says why the extension gave no text`()
    throws
  {
    func fate(_ source: String, endedAt: Int64?, isMutable: Bool = true) -> String? {
      var extensionEnd = ProcessRow(
        id: 1, role: "extension", pid: 10, startTime: 1, path: "", launchReason: "push", startedWallNs: 1,
        startedAtNs: 1)
      extensionEnd.endedAtNs = endedAt
      extensionEnd.endedWallNs = endedAt
      extensionEnd.reason = "killed from outside by SIGKILL"
      return PushFigures(
        pushes: [PushRow(id: 2, isVisible: true, hasMutableContent: isMutable, wallNs: 5, atNs: 5)],
        notifications: [
          NotificationRow(id: 1, push: 2, source: source, title: "a", body: "b", badge: 0, wallNs: 9, atNs: 9)
        ], tasks: [], times: [], processes: [extensionEnd]
      ).pushes.first?.first.fate
    }
    let original = "shown with its original alert, as the extension "
    expect(fate("content", endedAt: 7), is: "shown")
    expect(fate("original", endedAt: 7), is: original + "ended: killed from outside by SIGKILL")
    for endedAt in [nil, 4, 10] as [Int64?] {
      expect(fate("original", endedAt: endedAt), is: original + "gave no text")
    }
    expect(fate("original", endedAt: 7, isMutable: false), is: "shown")
  }

  @Test func `In baton list pushes a count of one is in the singular`() throws {
    let one = try figures(
      pushes: [
        #"{"id":2,"visible":false,"mutable_content":false,"wall_ns":2,"at_ns":2,"fate":"delivered","fate_code":"delivered"}"#
      ],
      times: [PushTime(push: 2, arrivedAt: Instant(nanoseconds: 9))])
    expect(one.sentences.first?.contains("1 arrived, 1 was handed to the app, "), is: true)
  }

  @Test func `Without a push no journal is read`() throws {
    let scratch = TemporaryDirectory()
    let record =
      #"{"seq":1,"t":1,"wall":1,"kind":"event","core":"guard-app","event":{"silentPushArrived":{"_0":{"id":1,"reason":"incomingPayment"}}},"directives":[]}"#
    scratch.write("phone/journal/20260101T000000-mainappd-7.jsonl", record + "\n")
    let row = #"{"id":1,"visible":false,"mutable_content":true,"wall_ns":1,"at_ns":1}"# + "\n"
    for (rows, starts) in [("", 0), (row, 1)] {
      scratch.write("phone/os/pushes.jsonl", rows)
      expect(PushFigures(of: Phone(home: scratch("phone"))).silent.handlerStarts, is: starts)
    }
  }

  @Test(.shows("B-1.5.3c", "B-1.5.3d"))
  func `A silent push's times are those between its records in the app's journal`() throws {
    func line(
      _ number: Int, _ at: Int, _ event: String, _ directives: String = "", core: String = "guard-app"
    ) throws -> JournalLine {
      let text =
        #"{"seq":\#(number),"t":\#(at),"wall":1,"kind":"event","core":"\#(core)","event":\#(event),"directives":[\#(directives)]}"#
      return try #require(JournalLine(number: number, bytes: Array(text.utf8)))
    }
    func push(_ id: Int) -> String {
      #"{"silentPushArrived":{"_0":{"id":\#(id),"reason":"incomingPayment"}}}"#
    }
    let claim = #"{"startNode":{"_0":{"epoch":1,"incarnation":2,"container":{"high":1,"low":2}}}}"#
    var times = PushTimes()
    times.read(try line(1, 100, push(4)))
    times.read(try line(2, 130, #"{"deadlineReached":{}}"#, claim))
    times.read(try line(3, 170, #"{"node":{"_0":{"established":{}}}}"#))
    times.read(try line(4, 200, #"{"deadlineReached":{}}"#, #"{"completed":{"push":4,"_1":"new-data"}}"#))
    times.read(try line(5, 300, #"{"enteredForeground":{}}"#))
    times.read(try line(6, 300, push(5)))
    times.read(try line(7, 400, #"{"enteredBackground":{}}"#))
    times.read(try line(8, 500, push(6)))
    expect(
      times.all,
      is: [
        PushTime(
          push: 4, arrivedAt: Instant(nanoseconds: 100), isWakingForPayment: true,
          nodeStarted: TimeSpan(nanoseconds: 30), connected: TimeSpan(nanoseconds: 70)),
        PushTime(push: 5, arrivedAt: Instant(nanoseconds: 300)),
        PushTime(push: 6, arrivedAt: Instant(nanoseconds: 500), isWakingForPayment: true),
      ])

    // A visible push, in the extension alone: in front the app's node runs.
    let visible = #"{"pushArrived":{"_0":{"id":7,"reason":"incomingPayment"}}}"#
    var ofExtension = PushTimes()
    ofExtension.read(try line(1, 100, visible))
    #expect(ofExtension.all.isEmpty)
    ofExtension.read(try line(2, 100, visible, claim, core: "guard-extension"))
    ofExtension.read(try line(3, 150, #"{"node":{"_0":{"established":{}}}}"#, core: "guard-extension"))
    expect(
      ofExtension.all,
      is: [
        PushTime(
          push: 7, isSilent: false, arrivedAt: Instant(nanoseconds: 100), nodeStarted: .zero,
          connected: TimeSpan(nanoseconds: 50))
      ])
  }
}
