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
  func `An app in the background that nothing keeps awake is stopped, and continues when it is opened`()
    throws
  {
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
  func `B-C.3 In a debug build an app in the background that holds a lock is neither stopped nor killed`()
    throws
  {
    let phone = try PhoneProcess(app: "app-keeps-lock", Self.quick + ["--build", "debug"])
    let pid = try pid(phone)
    try phone.ask("home")
    try Wait.until("the app says so") { try phone.said("app") == "behind" }
    // Running or sleeping, only not stopped.
    #expect(PhoneProcess.state(ofProcess: pid) != "T")
    #expect(try phone.state("app") == "background")
  }

  @Test
  func `P-1.2 iosd ends a suspended app's connection, and the peer sees its end`() throws {
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
  func
    `K-18 An expiration handler that ends its background task before the node stops gets the app killed: 0xdead10cc`()
    throws
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
  func
    `M-6.5 A background task keeps the app awake until its time is over; an app that does not end it is killed`()
    throws
  {
    let phone = try PhoneProcess(
      app: "app-endless-task", Self.quick + ["--background-time", "200ms", "--background-grace", "50ms"])
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try phone.ended("app")["reason"] as? String
    #expect(reason == "killed: did not end its background tasks after 0.200 s")
  }
}
