import Ground
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

@Suite("A payment that is held", .waits)
struct HeldPaymentTests {
  /// The extension cannot start, so the wallet stays away.
  private func awayPhone() throws -> (CommandPhone, invoice: String) {
    let phone = CommandPhone()
    _ = try phone.run("up", "--ext", "/bin/false")
    try phone.openAndConnect()
    let invoice = try phone.run("invoice", "5000", "--text", "Coffee")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    return (phone, invoice)
  }

  @Test(arguments: [false, true])
  func `baton pay prints until when lspd holds the payment, and after ^C that the payment continues`(
    isJSON: Bool
  ) throws {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      ["pay", invoice, "--hold-seconds", "600"] + (isJSON ? ["--json"] : []), into: "payment")
    try Wait.until("the payment to be held") {
      phone.scratch.text("payment").contains("the peer requests a push")
    }
    let said = phone.scratch.text("payment")
    #expect(
      said.contains("held: the wallet is offline; the peer requests a push, and holds the payment for "),
      "\(said)")
    #expect(said.contains(", until 20") && said.contains(" UTC\n"), "\(said)")
    let listed = try phone.run("payments")
    #expect(listed.contains(/held at the peer, .* left  [0-9a-f]{16}  Coffee\n/), "\(listed)")
    let number = isJSON ? SIGTERM : SIGINT
    kill(payment.identity.pid, number)
    #expect(phone.scratch.end(payment) == .exited(code: 128 + number))
    let last = phone.scratch.text("payment")
    #expect(last.contains("baton: stopped waiting; the payment continues"), "\(last)")
    #expect(last.contains(#"{"error":{"code":"interrupted","exit":143,"#) == isJSON, "\(last)")
    #expect(try phone.phone.askForJSON(.lspd, ControlMessage("status"))["held"]?.int == 1)
    // The judge knows the sender.
    _ = try phone.run("app", "open")
    try Wait.until("the payment to be paid") { try phone.phone.peerPayments().last?.state == "paid" }
    _ = try phone.run("down")
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  @Test func `ps shows each process's memory and its peak`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let text = try phone.run("ps")
    let lines = text.split(separator: "\n")
    #expect(lines.first?.contains("FOOTPRINT  PEAK") == true)
    #expect(
      lines.dropFirst().dropLast().allSatisfy { $0.components(separatedBy: " MB").count >= 4 }, "\(text)")
    let app = JSONValue(parsing: Array(try phone.run("ps", "--json").utf8))?["processes"]?.elements?.first
    for name in ["footprint_bytes", "resident_bytes", "peak_resident_bytes"] {
      #expect((app?[name]?.uint ?? 0) > 100_000, "\(name)")
    }
  }
}
