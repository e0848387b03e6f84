import DaemonRuntime
import Foundation
import Ground
import Testing
import WaitingTests

@testable import Baton

@Suite("baton lsp", .waits) struct LSPVerbTests {
  @Test func `baton lsp fail has the peer fail that many payments with the code, and the next one settles`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--hold-seconds", "12")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    #expect(
      try phone.run("lsp", "fail", "fee_insufficient", "--times", "2")
        == "the peer fails the next 2 payments with fee_insufficient (0x100c)\n")
    #expect(
      try phone.run("status").contains(
        "0 held for the wallet, 0 offered to it; the next 2 fail with fee_insufficient, as ordered\n"))
    for _ in 0..<2 {
      let said = try phone.run("pay", invoice, "--no-wait")
      #expect(
        said.contains("failed with fee_insufficient (0x100c): a channel on the way refuses the fee"),
        "\(said)")
    }
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
    #expect(
      try phone.run("lsp", "open-by-payment", try phone.invoice())
        == "baton: the peer pushes only payments to this wallet; start a phone with `--wallet bitkit`, without webhooks\n"
    )
    #expect(try phone.phone.peerPayments().count == 3)
    let document = JSONValue(
      parsing: Array(try phone.run("lsp", "fail", "permanent_node_failure", "--json").utf8))
    #expect(document?["code"]?.text == "0x6002" && document?["times"]?.uint == 1)
    #expect(document?["code_name"]?.text == "permanent_node_failure")
    #expect(
      try phone.run("lsp", "fail", "permanent_node_failure", "--times", "0")
        == "the peer no longer fails payments\n")
    let logs = try phone.run("logs")
    #expect(logs.contains("is to fail the next 2 payments with fee_insufficient (0x100c)"))
    #expect(try phone.run("judge", phone.scratch("phone")).contains("sound"))
  }

  @Test
  func
    `B-1.3.2, B-1.3.3, B-1.3.4 The extension shows what the peer seals: a payment that opens a channel, an order, a close`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", "bitkit")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    func expect(_ title: String, _ body: String, _ verb: String...) throws {
      _ = try phone.run(["lsp"] + verb)
      try Wait.until("the text \(title)") {
        try phone.run("notifications").contains(title) && phone.run("notifications").contains(body)
      }
    }
    try expect("Payment Incoming", "Open now to receive via new channel", "open-by-payment", invoice)
    try phone.openAndConnect()
    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    try Wait.until("the channel to be empty") { try phone.phone.peerFacts().htlcs == 0 }
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    try expect("Channel Ready", "Open Bitkit to complete setup", "order")
    try expect("Channel Closed", "Funds moved to savings", "close")
    _ = try phone.run("app", "open")
    try Wait.until("the app to learn of the close") {
      try phone.run("status").contains("closed by the provider")
    }
    #expect(try phone.run("lsp", "order").contains("the channel has failed already"))
  }

  @Test
  func `K-13 Of a payment that the peer does not hold Bitkit's extension does not say that funds are held`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", "bitkit", "--hold-seconds", "0")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    _ = try phone.run("pay", invoice, "--no-wait")
    try Wait.until("the text") { try phone.run("notifications").contains("Payment Incoming") }
    let told = try phone.run("notifications")
    #expect(told.contains("Open Bitkit to receive") && !told.contains("being held"), "\(told)")
  }

  @Test func `With Phoenix's wallet there is no push about a channel`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    #expect(try phone.run("lsp", "close").contains("start a phone with `--wallet bitkit`"))
    #expect(!(try phone.run("status").contains("closed by the provider")))
  }

  @Test func `A code that BOLT 4 does not have is refused, and the help has the names that it has`() throws {
    let phone = CommandPhone()
    #expect(try phone.run("lsp", "fail", "out_of_coffee").contains("`out_of_coffee` is not a failure code"))
    #expect(try phone.run("lsp", "fail", "-h").contains("temporary_channel_failure"))
    #expect(try phone.run("lsp", "fail", "0x100c").contains("baton up"))
  }

  @Test
  func `baton up passes Bitkit's sealed silent push and the hold on to lspd, and refuses it for Phoenix`()
    throws
  {
    let phone = CommandPhone()
    #expect(
      try phone.run("up", "--sealed-silent-push").contains(
        "--sealed-silent-push is of a wallet whose pushes are sealed"))
    _ = try phone.run("up", "--wallet", "bitkit", "--sealed-silent-push", "--hold-seconds", "12")
    let journal = try #require(
      try FileManager.default.contentsOfDirectory(atPath: phone.phone.journal).first { $0.contains("-lspd-") }
    )
    let head =
      try String(contentsOfFile: "\(phone.phone.journal)/\(journal)", encoding: .utf8)
      .split(separator: "\n").first ?? ""
    #expect(head.contains("--sealed-silent-push") && head.contains(#""--hold-seconds","12""#), "\(head)")
  }
}
