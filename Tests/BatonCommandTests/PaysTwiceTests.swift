@testable import Baton

/// Two senders pay one invoice, or one sender pays it again.
@Suite("baton pay --parts on an invoice that is being paid", .waits) struct PaysTwiceTests {
  static let refusal = "nothing was sent: a payment of this invoice is pending; wait for it\n"

  private let phone = CommandPhone()

  @Test
  func `If another sender paid the rest, remaining parts are not needed and the payment is settled`() throws {
    let invoice = try upWithInvoice()
    let payment = try phone.begin("pay", invoice, "--parts", "3", "--apart", "3s", into: "payment")
    try Wait.until("part 1 to be offered") { try offered() == 1 }
    payment.send(SIGSTOP)
    #expect(try pay(invoice, 3_334_000, waits: true).isSettled)
    payment.send(SIGCONT)
    expect(payment.end(), is: .exited(code: 0))
    expectOneOfThree(phone.scratch.text("payment"))
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  @Test
  func `A part above the missing amount is not needed, and baton pay awaits the result of its pending part`()
    throws
  {
    let invoice = try upWithInvoice()
    let payment = try phone.begin("pay", invoice, "--parts", "3", "--apart", "3s", into: "payment")
    try Wait.until("part 1 to be offered") { try offered() == 1 }
    payment.send(SIGSTOP)
    // 834 sat are then missing, less than part 2.
    expect(try pay(invoice, 2_500_000, waits: false).state, is: "offered")
    payment.send(SIGCONT)
    try Wait.until("part 2 to be refused") { phone.scratch.text("payment").contains("not needed") }
    #expect(try pay(invoice, 834_000, waits: true).isSettled)
    expect(payment.end(), is: .exited(code: 0))
    expectOneOfThree(phone.scratch.text("payment"))
  }

  private func expectOneOfThree(_ said: String) {
    let lines = said.split(separator: "\n")
    expect(
      lines.dropLast(),
      is: [
        "part 1 of 3, 1,666 sat: offered to the wallet",
        "part 2 of 3, 1,666 sat: not needed, other parts complete this payment",
        "part 1 of 3, 1,666 sat: settled",
      ])
    expect(lines.last?.hasPrefix("settled: 5,000 sat in "), is: true)
  }

  private func upWithInvoice() throws -> String {
    _ = try phone.run("up")
    try phone.openAndConnect()
    return try phone.invoice()
  }

  /// As another sender.
  private func pay(_ invoice: String, _ partMsat: UInt64, waits: Bool) throws -> PaymentAnswer {
    let payable = try PayableInvoice(typed: invoice, amountMsat: nil, at: Clock().wallNanoseconds)
    return PaymentAnswer(try phone.phone.ask(.lspd, payable.payRequest(partMsat: partMsat, waits: waits)))
  }

  private func offered() throws -> Int64? {
    try phone.phone.askForJSON(.lspd, ControlMessage("status"))["offered"]?.int
  }
}
