@testable import Baton

@Suite("baton pay --parts", .waits) struct PayInPartsTests {
  private let phone = CommandPhone()

  @Test func `The parts add up to the payment, in whole satoshi where possible`() {
    expect(PayableInvoice.amounts(of: 5_000_000, in: 2), is: [2_500_000, 2_500_000])
    expect(PayableInvoice.amounts(of: 5_000_001, in: 3), is: [1_666_000, 1_666_000, 1_668_001])
    expect(PayableInvoice.amounts(of: 1000, in: 3), is: [333, 333, 334])
    #expect(PayableInvoice.amounts(of: 2, in: 3) == nil)
    expect(PayableInvoice.amounts(of: .max, in: 30)?.reduce(0, +), is: .max)
  }

  @Test(.shows("P-1.4"))
  func `In the background status shows the multi-part payment as the app's work, and the payment settles`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    let payment = try phone.begin("pay", invoice, "--parts", "2", "--apart", "4s", into: "payment")
    try Wait.until("part 1 to be offered") {
      try phone.phone.askForJSON(.lspd, ControlMessage("status"))["offered"]?.int == 1
        && phone.run("logs").contains("waits for more parts of a payment")
    }
    _ = try phone.run("app", "home")
    try Wait.until("the app to be at work in the background") {
      try phone.run("status").contains("at work on: incoming multi-part payment: connected\n")
    }
    expect(payment.end(), is: .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\nsettled: 5,000 sat"))
    try phone.waitUntilAway()
  }

  private func offered() throws -> Int64? {
    try phone.phone.askForJSON(.lspd, ControlMessage("status"))["offered"]?.int
  }
}
