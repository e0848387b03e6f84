import Testing

/// Nobody comes for a payment: the sender is told so, and can try again.
@Suite("A recipient who stays away") struct RecipientAwayTests {
  private let phone = CommandPhone()

  @Test(
    "B-0.6 An app that is not opened in time costs the attempt: 0x1007; opened, the next attempt is settled")
  func again() throws {
    _ = try phone.run("up")
    // Without leave to notify no extension is started, so only the app could receive.
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
