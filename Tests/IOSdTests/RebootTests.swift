import PhonePolicy

@testable import IOSd

@Suite("A reboot, over iosd with real children", .waits) struct RebootTests {
  private func clock(_ phone: PhoneProcess) throws -> PhoneClock {
    try #require(PhoneClockFile(path: "\(phone.home)/os/clock").read())
  }

  @Test(.shows("K-42"))
  func `A reboot kills app and extension and keeps notifications, and leaves the phone locked`() throws {
    let phone = try PhoneProcess(app: "app-stubborn", ext: "ext-hang")
    let iosd = phone.process.pid
    let before = try clock(phone)
    try phone.ask("push", body: #"{"aps":{"alert":"seen"}}"#)
    try phone.ask("open")
    try phone.ask("home")
    try phone.push("not seen yet")
    let pids = try phone.rows("ps", all: false).compactMap { $0["pid"] as? Int }
    expect(pids.count, is: 2)
    let answer = try phone.ask("reboot")
    for pid in pids { #expect([nil, "Z"].contains(PhoneProcess.state(ofProcess: Int32(pid)))) }
    let rows = try phone.rows("ps")
    expect(rows.map { $0["reason"] as? String }, is: ["killed: reboot", "killed: reboot"])
    #expect(rows.allSatisfy { $0["crashed"] as? Bool == false })
    expect(try phone.notifications(1), is: ["seen"])
    let fates = try phone.rows("pushes").map { $0["fate"] as? String }
    expect(fates.last, is: "dropped: the phone rebooted before the push was handled")
    let after = try clock(phone)
    #expect(after.boot != before.boot)
    expect(answer["boot"], is: Journal.text(of: after.boot))
    expect(after.wallOffsetNanoseconds, is: before.wallOffsetNanoseconds)
    let booted = Clock(phoneClockFile: "\(phone.home)/os/clock")
    #expect(booted.bootClock.nanoseconds >= 0)
    #expect(booted.bootClock < Clock.kernelBootClock)
    let device = try phone.ask("device").bodyText
    #expect(device.hasPrefix(#"{"locked":true,"unlocked_before":false"#))
    #expect(phone.process.pid == iosd && phone.process.isRunning)
    expect(try phone.ask("open")["app"], is: "foreground")
    #expect(try phone.ask("device").bodyText.hasPrefix(#"{"locked":false,"unlocked_before":true"#))
  }

  @Test(arguments: ["yes", "no"])
  func `A push sent during a reboot is served after the boot, whether the phone is locked or unlocked`(
    _ unlocks: String
  )
    throws
  {
    let phone = try PhoneProcess(app: "app-keychain", ext: "ext-keychain")
    try phone.ask("open")
    try Wait.until("the item is written") { try phone.said("app")?.contains("written") == true }
    let iosd = phone.process.pid
    let client = try ControlClient(path: phone.socket, daemon: "iosd")
    // iosd reads both at once, so the push comes before the app has ended.
    kill(iosd, SIGSTOP)
    try Wait.until("iosd is stopped") { PhoneProcess.state(ofProcess: iosd) == "T" }
    try client.send(ControlMessage("reboot", ["unlock": unlocks]))
    let alert = #"{"aps":{"alert":{"title":"Push","body":"as it was sent"},"mutable-content":1}}"#
    try client.send(ControlMessage("push", body: Array(alert.utf8)))
    kill(iosd, SIGCONT)
    expect(try client.receive()["id"], is: "1")
    #expect(try client.receive()["boot"] != nil)
    let refused = "the phone has not been unlocked since it was started"
    expect(try phone.notifications(1), is: [unlocks == "yes" ? "abandon ability able" : refused])
  }

  @Test func `Only a reboot with --lose-beats erases the heartbeat file`() throws {
    let phone = try PhoneProcess()
    let heartbeat = "\(phone.home)/AppGroup/heartbeat"
    try Data([1, 2, 3]).write(to: URL(filePath: heartbeat))
    try phone.ask("reboot")
    expect(FileManager.default.contents(atPath: heartbeat), is: Data([1, 2, 3]))
    try phone.ask("reboot", ["lose-beats": "yes"])
    expect(FileManager.default.contents(atPath: heartbeat), is: Data())
    expect(try phone.refusal("reboot", ["lose-beats": "perhaps"])?.contains("must be yes or no"), is: true)
  }

  @Test(arguments: ["yes", "no"])
  func `During a reboot a request to lock or unlock the phone is refused with all its fields`(
    _ locked: String
  ) throws {
    let phone = try PhoneProcess()
    try phone.ask("open")
    let iosd = phone.process.pid
    let client = try ControlClient(path: phone.socket, daemon: "iosd")
    // iosd reads both at once, so the second comes before the app has ended.
    kill(iosd, SIGSTOP)
    try Wait.until("iosd is stopped") { PhoneProcess.state(ofProcess: iosd) == "T" }
    try client.send(ControlMessage("reboot"))
    try client.send(ControlMessage("device", ["focus": "yes", "locked": locked]))
    kill(iosd, SIGCONT)
    expect(try client.receive().errorSentence, is: Refusal.rebooting.description)
    #expect(try client.receive()["boot"] != nil)
    #expect(
      try phone.ask("device").bodyText.contains(#""focus":false"#), "no field of a refused request is applied"
    )
    try phone.ask("device", ["locked": locked])
  }
}
