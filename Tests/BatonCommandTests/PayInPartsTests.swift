import Ground
import DaemonRuntime
import Glibc
import Testing
import WaitingTests

@testable import Baton

@Suite("baton pay --parts", .waits) struct PayInPartsTests {
  private let phone = CommandPhone()

  @Test
  func `The parts add up to the payment, in whole satoshi where possible`() {
    #expect(PayableInvoice.amounts(of: 5_000_000, in: 2) == [2_500_000, 2_500_000])
    #expect(PayableInvoice.amounts(of: 5_000_001, in: 3) == [1_666_000, 1_666_000, 1_668_001])
    #expect(PayableInvoice.amounts(of: 1000, in: 3) == [333, 333, 334])
    #expect(PayableInvoice.amounts(of: 2, in: 3) == nil)
    #expect(PayableInvoice.amounts(of: .max, in: 30)?.reduce(0, +) == .max)
  }

  @Test
  func `Each part's progress is printed, the parts settle as one payment, and the judge finds the run sound`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let lines = try phone.run("pay", try phone.invoice(), "--parts", "3", "--apart", "20ms")
      .split(separator: "\n")
    #expect(
      lines.prefix(6) == [
        "part 1 of 3, 1,666 sat: offered to the wallet", "part 2 of 3, 1,666 sat: offered to the wallet",
        "part 3 of 3, 1,668 sat: offered to the wallet", "part 1 of 3, 1,666 sat: settled",
        "part 2 of 3, 1,666 sat: settled", "part 3 of 3, 1,668 sat: settled",
      ])
    #expect(lines.last?.hasPrefix("settled: 5,000 sat in ") == true)
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  @Test
  func
    `P-1.4 In the background status shows the multi-part payment as the app's work, and the payment settles`()
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
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\nsettled: 5,000 sat"))
    try phone.waitUntilAway()
  }

  @Test
  func `A part that times out fails the payment with mpp_timeout`() throws {
    _ = try phone.run("up", "--multi-part-window", "300ms")
    try phone.openAndConnect()
    let said = try phone.run("pay", try phone.invoice(), "--parts", "2", "--apart", "3s")
    let why =
      "failed with mpp_timeout (0x0017): the other parts did not arrive in time; try again later\n"
    #expect(said == "part 1 of 2, 2,500 sat: offered to the wallet\npart 1 of 2, 2,500 sat: \(why)\(why)")
  }

  @Test(arguments: [false, true])
  func `Parts that failed while baton pay was stopped are printed as failed, not as failed back later`(
    asJSON: Bool
  )
    throws
  {
    _ = try phone.run("up", "--multi-part-window", "8s")
    try phone.openAndConnect()
    var words = ["pay", try phone.invoice(), "--parts", "3", "--apart", "3s"]
    if asJSON { words.append("--json") }
    let payment = try phone.begin(words, into: "payment")
    try Wait.until("two parts to be on their way") { try offered() == 2 }
    payment.send(SIGSTOP)
    try Wait.until("both to come back") { try offered() == 0 }
    payment.send(SIGCONT)
    #expect(phone.scratch.end(payment) == .exited(code: 5))
    let said = phone.scratch.text("payment")
    if asJSON {
      let parts = JSONValue(parsing: Array(said.utf8))?["parts"]?.elements
      #expect(parts?.map { $0["state"]?.text } == ["failed", "failed", "not-sent"])
    } else {
      let why =
        "failed with mpp_timeout (0x0017): the other parts did not arrive in time; try again later"
      #expect(
        said.split(separator: "\n").suffix(3) == [
          "part 1 of 3, 1,666 sat: \(why)", "part 2 of 3, 1,666 sat: \(why)", "\(why)",
        ])
    }
  }

  private func offered() throws -> Int64? {
    try phone.phone.askForJSON(.lspd, ControlMessage("status"))["offered"]?.int
  }

  @Test
  func `A later part's failure is printed at once while an earlier part is pending`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    let payment = try phone.begin(
      "pay", invoice, "--parts", "2", "--apart", "5s", "--hold-seconds", "1", into: "payment")
    try Wait.until("part 1 to be offered") {
      phone.scratch.text("payment").hasSuffix("offered to the wallet\n")
    }
    // Part 2 is sent after the wallet is away, however long that takes.
    payment.send(SIGSTOP)
    try Wait.until("part 1 to be kept") {
      try phone.run("logs").contains("waits for more parts of a payment")
    }
    _ = try phone.run("device", "network", "off")
    try phone.waitUntilAway()
    payment.send(SIGCONT)
    try Wait.until("part 2 to fail") {
      phone.scratch.text("payment").contains("part 2 of 2, 2,500 sat: failed")
    }
    #expect(phone.scratch.end(payment) == .exited(code: 5))
    let why = "the wallet did not connect in time; try again later"
    let lines = phone.scratch.text("payment").split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.first == "part 1 of 2, 2,500 sat: offered to the wallet")
    #expect(
      lines.dropFirst().first
        == "part 2 of 2, 2,500 sat: held; the wallet is offline; the peer requests a push")
    #expect(lines.dropFirst(2).first.map { $0.hasPrefix("part 2 of 2") && $0.hasSuffix(why) } == true)
    #expect(
      lines.last?.hasSuffix(
        "\(why); 1 other part is failed back when the wallet stops waiting for the missing parts")
        == true)
    #expect(
      try phone.run("pay", invoice, "--parts", "2") == PaysTwiceTests.refusal, "part 1 is still pending")
  }

  @Test
  func `--parts must be 2 to 30, and --apart needs --parts`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice(sat: 1)
    #expect(
      try phone.run("pay", invoice, "--apart", "1s")
        == "baton: --apart requires --parts\n")
    #expect(
      try phone.run("pay", invoice, "--parts", "31").contains("--parts must be a whole number from 2 to 30"))
  }
}
