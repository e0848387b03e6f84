import PhoneClient
import Ground
import DaemonRuntime
import Database
import Foundation
import PairSupport
import Testing

@Suite("Hostile input: crowds at the doors of the daemons", .serialized)
struct CrowdTests {
  @Test(
    "10,000 strangers hold on at a door: proper clients are served, nothing spins, and all is as before when they leave",
    .enabled(
      if: RealPhone.descriptorsAllowed >= 2600,
      "each of the four strangers holds 2,500 descriptors; raise the limit with `ulimit -Hn`"),
    arguments: RealPhone.Door.allCases)
  func held(_ door: RealPhone.Door) throws {
    let phone = try RealPhone()
    let pid = try phone.pid(behind: door)
    _ = try phone.ask(.phone, ControlMessage("open"))
    try Wait.until("the app to be connected") { try walletIsConnected(phone) }
    let descriptors = try RealPhone.descriptors(of: pid)
    let footprint = try RealPhone.footprint(of: pid)
    // From several processes, as each may be allowed a few thousand only.
    var count = 0
    for _ in 0..<4 { count += try phone.knock("hold", 2500, at: door) }
    #expect(count == 10_000)
    // The wallet has to dial anew in front of them all.
    _ = try phone.ask(.phone, ControlMessage("home"))
    try Wait.until("the app to have left") { try !walletIsConnected(phone) }
    _ = try phone.ask(.phone, ControlMessage("open"))
    try Wait.until("the app to be connected again") { try walletIsConnected(phone) }
    #expect(try RealPhone.descriptors(of: pid) <= descriptors + 256)
    #expect(try RealPhone.footprint(of: pid) <= footprint + 4 * 1024 * 1024)
    try RealPhone.waitUntilAsleep(pid)
    phone.dismissStrangers()
    try Wait.until("the descriptors to be closed") {
      try RealPhone.descriptors(of: pid) <= descriptors + 1
    }
    #expect(try RealPhone.footprint(of: pid) <= footprint + 4 * 1024 * 1024)
  }

  @Test(
    "10,000 connections that are opened and dropped leave nothing behind", arguments: RealPhone.Door.allCases)
  func dropped(_ door: RealPhone.Door) throws {
    let phone = try RealPhone()
    let pid = try phone.pid(behind: door)
    let descriptors = try RealPhone.descriptors(of: pid)
    let footprint = try RealPhone.footprint(of: pid)
    #expect(try phone.knock("drop", 10_000, at: door) == 10_000)
    #expect(try phone.ask(.phone, ControlMessage("status")).verb == "ok")
    #expect(try phone.ask(.provider, ControlMessage("status")).verb == "status")
    try Wait.until("the descriptors to be closed") {
      try RealPhone.descriptors(of: pid) <= descriptors + 1
    }
    #expect(try RealPhone.footprint(of: pid) <= footprint + 2 * 1024 * 1024)
    // Whoever said nothing has no row.
    let ledger = try Connection(
      path: "\(phone.home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    #expect(try ledger.firstRow("SELECT count(*) FROM connections")?.integer(0) == 0)
  }

  @Test(
    "A process of another user is told whose socket it is, though the modes of the files would let it in",
    .enabled(if: getuid() == 0, "it needs root"))
  func anotherUser() throws {
    let phone = try RealPhone()
    for (door, directory) in [(RealPhone.Door.phone, "os"), (.provider, "lsp")] {
      for path in [phone.home, "\(phone.home)/\(directory)"] { chmod(path, 0o755) }
      chmod(try phone.place(door), 0o666)
      let stranger = try RealPhone.run("TestForeignProcess", ["as-user", "65534", try phone.place(door)])
      #expect(stranger.output == "this socket serves only the user 0; ask as that user\n")
      _ = try phone.ask(door, ControlMessage("status"))
    }
  }

  private func walletIsConnected(_ phone: RealPhone) throws -> Bool {
    try phone.ask(.provider, ControlMessage("status")).bodyText.contains(#""channel_established":true"#)
  }
}
