import Testing
import WaitingTests

@Suite("A recipient who stays away", .waits) struct RecipientAwayTests {
  private let phone = CommandPhone()

  @Test
  func `B-0.6 If the app is not opened in time the payment fails with 0x1007, and a later one settles`()
    throws
  {
    _ = try phone.run("up")
    // With notifications off no extension starts, so only the app can receive.
    _ = try phone.run("device", "notifications", "off")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    #expect(
      try phone.run("pay", invoice, "--hold-seconds", "1").hasSuffix(
        "failed with temporary_channel_failure (0x1007): the wallet did not connect in time; try again later\n"
      ))
    try phone.openAndConnect()
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
  }
}
