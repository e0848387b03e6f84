import Foundation
import PairSupport
import Testing
import WaitingTests

@Suite("baton device, push --silent and notifications", .waits) struct DeviceVerbTests {
  private let scratch = Scratch()

  private func run(_ verb: String...) throws -> (words: String, code: Int32?) {
    let end = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    guard case .exited(let code) = end else { return (scratch.text("said"), nil) }
    return (scratch.text("said"), code)
  }

  private func said(_ verb: [String]) throws -> String {
    _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    return scratch.text("said")
  }

  static let switches: [(words: [String], says: String)] = [
    (["low-power", "on"], "Low Power Mode is on"), (["low-power", "off"], "Low Power Mode is off"),
    (["background-refresh", "off"], "Background App Refresh is off"),
    (["notifications", "off"], "the wallet may show no notifications"),
    (["notifications", "on"], "the wallet may show notifications"),
    (["lock-screen", "off"], "the lock screen shows no alerts of the wallet"),
    (["centre", "off"], "the Notification Centre shows no alerts of the wallet"),
    (["centre", "on"], "the Notification Centre shows the wallet's alerts"),
    (["banners", "off"], "no alert of the wallet appears as a banner"), (["focus", "on"], "a Focus is on"),
    (["lock"], "the phone is locked"), (["unlock"], "the phone is unlocked"),
    (["lock"], "the phone is locked"),
    (["battery", "7"], "the battery is at 7 %"), (["charger", "on"], "the charger is plugged in"),
    (["network", "off"], "the network is gone"), (["network", "on"], "the network is there"),
    (["audio", "on"], "another app plays audio"),
    (["storage", "full"], "the storage is full: writes that need more room fail"),
  ]

  @Test
  func
    `baton device prints a sentence for each change of a setting, and without arguments lists all settings`()
    throws
  {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up")
    for step in Self.switches { #expect(try said(["device"] + step.words) == "\(step.says)\n") }
    #expect(
      try run("device").words == """
        screen              locked
        low-power           off
        background-refresh  off
        notifications       allowed
        lock-screen         off
        centre              on
        banners             off
        focus               on
        battery             7 %, charging
        network             on
        storage             full
        audio               another app plays

        """)
    #expect(
      try run("device", "--json").words
        == #"{"locked":true,"unlocked_before":true,"low_power":false,"background_refresh":false,"notifications":true,"#
        + #""lock_screen":false,"centre":true,"banners":false,"focus":true,"battery":7,"charger":true,"network":true,"storage_full":true,"audio":true}"#
        + "\n"
    )
    #expect(
      try run("push", "--silent", "--type", "X").words
        == "push 1 was delivered to the phone: dropped: Background App Refresh is off\n")
    _ = try run("device", "network", "off")
    #expect(
      try run("push", "--silent").words
        == "push 2 is on its way to the phone: deferred: the phone is off the network\n")
    #expect(
      try run("notifications", "tap", "1")
        == ("baton: there is no notification 1; `baton notifications` lists the present ones\n", 8))
    #expect(try run("notifications", "--json").words == "[]\n")
  }

  @Test func `Contradictory or invalid arguments are refused before the phone is asked`() throws {
    #expect(
      try run("device", "battery", "101") == (
        "baton: N must be a whole number from 0 to 100, not `101`\n", 64
      ))
    #expect(
      try run("device", "focus", "maybe") == ("baton: on|off must be one of on, off, not `maybe`\n", 64))
    #expect(
      try run("push", "--silent", "x.apns")
        == ("baton: FILE and --silent exclude each other; give one of them\n", 64))
    #expect(
      try run("push", "--type", "x", "x.apns")
        == ("baton: --type requires --silent; in a file use the member `reason`\n", 64))
    #expect(
      try run("push")
        == (
          "baton: FILE is missing: a JSON object with `aps`, at most 4096 bytes; or write --silent\n", 64
        ))
    #expect(try run("device", "low-power", "on").code == 69)
  }
}
