@testable import Baton

@Suite("baton lsp", .waits) struct LSPVerbTests {
  @Test(.shows("B-1.3.2", "B-1.3.3", "B-1.3.4"))
  func `The extension shows what the peer seals: a payment that opens a channel, an order, a close`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", "bitkit")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    func notifies(_ title: String, _ body: String, _ verb: String...) throws {
      _ = try phone.run(["lsp"] + verb)
      try Wait.until("the text \(title)") {
        try phone.run("list", "notifications").contains(title)
          && phone.run("list", "notifications").contains(body)
      }
    }
    try notifies("Payment Incoming", "Open now to receive via new channel", "open-by-payment", invoice)
    try phone.openAndConnect()
    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    try Wait.until("the channel to be empty") { try phone.phone.peerFacts().htlcs == 0 }
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    try notifies("Channel Ready", "Open Bitkit to complete setup", "order")
    try notifies("Channel Closed", "Funds moved to savings", "close")
    _ = try phone.run("app", "open")
    try Wait.until("the app to learn of the close") {
      try phone.run("status").contains("closed by the provider")
    }
    #expect(try phone.run("lsp", "order").contains("the channel has failed already"))
  }

  @Test(.shows("K-13"))
  func `Of a payment that the peer does not hold Bitkit's extension does not say that funds are held`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", "bitkit", "--hold-seconds", "0")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    _ = try phone.run("pay", invoice, "--no-wait")
    try Wait.until("the text") { try phone.run("list", "notifications").contains("Payment Incoming") }
    let told = try phone.run("list", "notifications")
    #expect(told.contains("Open Bitkit to receive") && !told.contains("being held"), "\(told)")
  }
}
