import PhoneClient
import Ground
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

/// iosd stops, resumes and kills real processes.
@Suite("Suspension of real processes", .waits) struct SuspensionOnRealProcessesTests {
  private static let quick = ["--suspend-after", "50ms"]

  private func pid(_ phone: PhoneProcess) throws -> Int32 {
    try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
  }

  @Test
  func `An app without assertions is stopped, and continues when it is opened`() throws {
    let phone = try PhoneProcess(Self.quick)
    let pid = try pid(phone)
    try phone.ask("home")
    try Wait.until("the app is stopped") { PhoneProcess.state(ofProcess: pid) == "T" }
    #expect(try phone.state("app") == "suspended")
    #expect(try phone.ask("open")["app"] == "foreground")
    try Wait.until("the app goes on") { PhoneProcess.state(ofProcess: pid) == "S" }
    try phone.ask("quit")
    #expect(try phone.ended("app")["reason"] as? String == "killed: swiped away by the user")
  }

  @Test
  func `K-20 An app suspended with a lock in the container is killed: 0xdead10cc`() throws {
    let phone = try PhoneProcess(app: "app-keeps-lock", Self.quick)
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try #require(try phone.ended("app")["reason"] as? String)
    #expect(reason == "killed: 0xdead10cc: suspended while it held a lock on locks/app.lock")
  }

  @Test
  func `B-C.3 A debug build with a lock is neither stopped nor killed`() throws {
    let phone = try PhoneProcess(app: "app-keeps-lock", Self.quick + ["--build", "debug"])
    let pid = try pid(phone)
    try phone.ask("home")
    try Wait.until("the app says so") { try phone.said("app") == "behind" }
    // Running or sleeping, only not stopped.
    #expect(PhoneProcess.state(ofProcess: pid) != "T")
    #expect(try phone.state("app") == "background")
  }

  @Test
  func `P-1.2 iosd ends a suspended app's connections, and the peer notices at once`() throws {
    let phone = try PhoneProcess(app: "app-connects", Self.quick)
    let listener = try LoopbackListener()
    _ = try pid(phone)
    try phone.ask("ask-app", body: "\(listener.port)")
    let connection = try listener.accept()
    try phone.ask("home")
    #expect(connection.waitForEnd())
    #expect(try phone.state("app") == "suspended")
  }

  @Test
  func `K-18 A handler that ends its task while the node still stops gets the app killed: 0xdead10cc`() throws
  {
    let phone = try PhoneProcess(app: "app-seed-handler", Self.quick + ["--background-time", "100ms"])
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try #require(try phone.ended("app")["reason"] as? String)
    #expect(reason == "killed: 0xdead10cc: suspended while it held a lock on locks/app.lock")
  }

  @Test
  func `An app that does not finish entering the background is killed by the watchdog`() throws {
    let phone = try PhoneProcess(app: "app-never-done", ["--callback-time", "50ms"])
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try phone.ended("app")["reason"] as? String
    #expect(reason == "killed: 0x8badf00d: did not finish going to the background within 0.050 s")
  }

  @Test
  func `M-6.5 A task keeps the app awake until its time is over; not ending it gets the app killed`() throws {
    let phone = try PhoneProcess(
      app: "app-endless-task", Self.quick + ["--background-time", "200ms", "--background-grace", "50ms"])
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try phone.ended("app")["reason"] as? String
    #expect(reason == "killed: did not end its tasks after 0.200 s in the background")
  }
}
