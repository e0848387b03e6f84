import Ground
import Crypto
import Lightning
import Testing
import WaitingTests

@testable import Baton

/// Invoices as a user handles them: made by one phone, read without a phone, paid by the wrong phone.
@Suite("Invoices on the command line", .waits) struct InvoiceVerbTests {
  @Test
  func `baton invoice --read needs no phone; --read and --cancel refuse the options of a new invoice`()
    throws
  {
    let phone = CommandPhone()
    let key = try #require(PrivateKey(SHA256.hash([1])))
    let invoice = try SignedInvoice(
      InvoiceFields(
        network: .mainnet, amountMsat: 100_000, timestamp: 1_496_314_658, paymentHash: SHA256.hash([2]),
        paymentSecret: .zero, purpose: .text("Tea")), signedBy: key)
    let lines = try phone.run("invoice", "--read", "lightning:\(invoice.encoded.uppercased())")
    #expect(lines.contains("network         mainnet\namount          100 sat\ntext            Tea\n"))
    #expect(lines.contains(key.publicKey.hex))
    let json = try phone.run("invoice", "--read", invoice.encoded, "--json")
    #expect(JSONValue(parsing: Array(json.utf8))?["payment_hash"]?.text == SHA256.hash([2]).hex)
    for (words, sentence) in [
      ([invoice.encoded, "5000"], "leave AMOUNT out"),
      ([invoice.encoded, "--text", "x"], "leave --text out"),
      ([invoice.encoded, "--expiry", "1h"], "leave --expiry out"),
      ([String(invoice.encoded.dropLast())], "the checksum of the invoice is wrong"),
    ] {
      #expect(try phone.run(["invoice", "--read"] + words).contains(sentence))
    }
    #expect(try phone.run("invoice", "--external").contains("--external requires AMOUNT"))
    for (words, sentence) in [
      (["5000"], "leave AMOUNT out"), (["--text", "x"], "leave --text out"),
      (["--external"], "leave --external out"),
    ] {
      #expect(try phone.run(["invoice", "--cancel", invoice.encoded] + words).contains(sentence))
    }
    #expect(
      try phone.run("invoice", "--read", invoice.encoded, "--cancel", "x").contains("leave --cancel out"))
    #expect(try phone.run("invoice", "--cancel", "abc").contains("this is not a Lightning invoice"))
    #expect(try phone.run("pay", invoice.encoded).contains("the invoice is for mainnet"))
  }

  @Test
  func `A cancelled invoice cannot be paid; a cancelled or paid invoice cannot be cancelled`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let (first, second, third) = (try phone.invoice(), try phone.invoice(), try phone.invoice())
    let hash = try SignedInvoice(decoding: first).paymentHash.hex
    #expect(
      try phone.run("invoice", "--cancel", first)
        == "cancelled: the wallet refuses payments of \(hash.prefix(8)) from now on\n")
    #expect(try phone.run("pay", first).contains("incorrect_or_unknown_payment_details"))
    #expect(try phone.run("invoice", "--cancel", hash).contains("has no open invoice with this payment hash"))
    #expect(try phone.run("pay", second).contains("settled: 5,000 sat"))
    #expect(try phone.run("invoice", "--cancel", second).contains("has no open invoice"))
    let json = JSONValue(parsing: Array(try phone.run("invoice", "--cancel", third, "--json").utf8))
    #expect(json?["state"]?.text == "cancelled")
    #expect(try json?["payment_hash"]?.text == SignedInvoice(decoding: third).paymentHash.hex)
    #expect(try phone.run("inspect").contains("invoices (0 open, 1 paid, 2 cancelled)"))
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  @Test
  func
    `The payer chooses the amount of an invoice without one; above what the wallet can receive is a warning`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let open = try phone.run("invoice").split(separator: "\n").map(String.init)
    #expect(open.count == 1)
    let invoice = try #require(open.first)
    #expect(try SignedInvoice(decoding: invoice).amountMsat == nil)
    #expect(try phone.run("inspect").contains("any amount"))
    #expect(try phone.run("pay", invoice).contains("add --amount"))
    #expect(try phone.run("pay", invoice, "--amount", "21").contains("settled: 21 sat"))
    let large = try phone.run("invoice", "100000000").split(separator: "\n")
    #expect(
      large.count == 2 && large.last?.hasPrefix("baton: the wallet can receive 8,999,979 sat now") == true)
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  @Test func `Paying the invoice of another phone's wallet fails with unknown_next_peer`()
    throws
  {
    let phone = CommandPhone()
    let other = CommandPhone()
    _ = try phone.run("up")
    _ = try other.run("up")
    try phone.openAndConnect()
    try other.openAndConnect()
    let invoice = try phone.invoice()
    #expect(
      try other.run("pay", invoice).lowercased().hasPrefix(
        "failed with unknown_next_peer (0x400a): the invoice is of another wallet"))
    #expect(try phone.run("pay", invoice.uppercased()).contains("settled: 5,000 sat"))
    let made = JSONValue(parsing: Array(try phone.run("invoice", "7msat", "--text", "Tea", "--json").utf8))
    #expect(made?["amount_msat"]?.uint == 7)
    #expect(made?["text"]?.text == "Tea")
    #expect(made?["payee"]?.text == (try SignedInvoice(decoding: invoice)).payee.hex)
  }
}
