@testable import Baton

/// What only real processes can meet; stories have the other hindrances.
@Suite("A payment whose extension dies", .disabled(if: CommandPhone.isSanitized, "no memory limit"), .waits)
struct HinderedExtensionTests {
  @Test(.shows("B-1.0"), arguments: [["--fault-ballast", "31457280"], ["--fault-hang"]])
  func
    `Above its memory limit, or crashed, the extension leaves the push as sent, and the opened app receives`(
      fault: [String]
    ) throws
  {
    let phone = CommandPhone()
    _ = try phone.run(["up"] + fault)
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    _ = try phone.run("pay", invoice, "--no-wait")
    if fault == ["--fault-hang"] {
      var pid: Int32?
      try Wait.until("the extension's process") {
        pid = try phone.phone.facts().extension.pid
        return pid != nil
      }
      kill(try #require(pid), SIGSEGV)
    }
    try Wait.until("the push as sent") {
      try phone.run("list", "notifications").contains("Open the app to receive")
    }
    try phone.openAndConnect()
    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    #expect(
      try phone.run("list", "processes", "--all").contains(
        fault == ["--fault-hang"] ? "SIGSEGV" : "ActiveHard 24 MB"))
  }
}
