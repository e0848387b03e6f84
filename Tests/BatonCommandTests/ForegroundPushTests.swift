import CoreShape
import DaemonRuntime
import Foundation
import PairSupport
import Testing

@testable import BatonCommand

@Suite("baton up --foreground-pushes extension") struct ForegroundPushTests {
  private let scratch = Scratch()

  private func run(_ verb: String...) throws -> String {
    _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    return scratch.text("said")
  }

  private func wait(_ what: String, _ condition: () throws -> Bool) throws {
    let end = Clock.monotonicNow + .seconds(60)
    while try !condition() {
      let isTooLate = Clock.monotonicNow >= end
      try #require(!isTooLate, "waited in vain for \(what)")
    }
  }

  @Test("K-27 starts an extension beside the app in front: it finds the node held, and leaves it to the app")
  func beside() throws {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up", "--foreground-pushes", "extension")
    #expect(try run("app", "open").contains("in front"))
    try wait("the app to be connected") { try run("status").contains(": connected\n") }
    let push = scratch.write(
      "push.apns", #"{"aps":{"alert":"pay","mutable-content":1},"reason":"IncomingPayment"}"#)
    #expect(try run("push", push).contains("is with the phone"))
    try wait("the extension to wait") {
      try run("status").contains(#/extension +serving .*: waiting: process \d+ holds the node/#)
    }
    let status = try run("status")
    #expect(status.contains(#/holder +held by mainappd \d+, alive and beating/#))
    #expect(status.contains(#/epoch +1\n/#))
  }

  @Test(
    "P-1.5, K-45 An app that is in front and connected is paid without a push, and no notification is shown")
  func connected() throws {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up")
    _ = try run("app", "open")
    try wait("the app to be connected") { try run("status").contains(": connected\n") }
    let invoice = try run("invoice", "5000").trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try run("pay", invoice).hasPrefix("settled: 5,000 sat"))
    let pushes = try Phone(home: scratch("phone")).askForJSON(.iosd, ControlMessage("pushes"))
    #expect(pushes.elements == [])
    #expect(try run("notifications") == "nothing was shown yet\n")
    let processes = try Phone(home: scratch("phone")).askForJSON(.iosd, ControlMessage("ps", ["all": "yes"]))
    #expect(processes.elements?.map { $0["role"]?.text } == ["app"], "no extension was started")
  }
}
