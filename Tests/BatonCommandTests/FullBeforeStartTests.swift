import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

@Suite("A full storage before the wallet's first start", .waits) struct FullBeforeStartTests {
  private let phone = CommandPhone()

  @Test
  func `app open, status and judge report the full disk, and the wallet starts once there is room`() throws {
    let group = phone.phone.container
    defer { _ = try? phone.run("down") }
    _ = try phone.run("up")
    #expect(try phone.run("device", "storage", "full").hasPrefix("the storage is full: "))

    let opened = try phone.run("app", "open")
    #expect(opened.hasPrefix("baton: the app ended right after its start (process "), "\(opened)")
    #expect(
      opened.hasSuffix("the disk of \(group)/node.sqlite is full; free some space and try again\n"),
      "\(opened)")
    let empty = "\(group)/node.sqlite is empty"
    #expect(
      try phone.run("status").contains(
        "\(empty): the wallet was never used; check that its disk has room, then open the app\n"))
    #expect(
      try phone.run("judge") == """
        baton: no wallet was created yet: \(empty), so there is nothing to judge; make room on its disk, \
        open the app, then judge again

        """)

    _ = try phone.run("device", "storage", "free")
    try phone.openAndConnect()
    #expect(try phone.run("judge").contains("Verdict: sound"))
  }
}
