import DaemonRuntime
import Foundation
import Glibc
import Ground
import PairSupport
import PhonePolicy
import Testing
import WaitingTests

@testable import Baton

/// Two phones of `baton up`, the second without an lspd of its own.
@Suite("baton up --phone", .serialized, .waits) struct TwoHomesTests {
  private let first = CommandPhone()
  private let second = CommandPhone()

  /// The sender has the preimage before the last messages about the HTLC.
  private func expectBalance(_ phone: CommandPhone, _ msat: UInt64) throws {
    try Wait.until("a balance of \(msat) msat") { try phone.phone.peerFacts().walletMsat == msat }
  }

  private func isConnected(_ phone: CommandPhone) throws -> Bool {
    try phone.phone.peerFacts().walletConnected == true
  }

  /// Both with a connected app, then at home.
  private func start() throws {
    mkdir(second.phone.home, 0o700)
    let up = try first.run("up", "--phone", second.phone.home)
    #expect(up.contains("is up: "), "\(up)")
    let other = try second.run("up")
    #expect(other.contains("iosd") && FilePath.exists(second.phone.iosdSocket), "\(other)")
    #expect(!FilePath.exists("\(second.phone.lsp)/ledger.sqlite"))
    for phone in [first, second] { try phone.openAndConnect() }
  }

  private func leave(_ phone: CommandPhone) throws {
    _ = try phone.run("app", "home")
    try phone.waitUntilAway()
  }

  private func expectSound() throws {
    for (phone, more) in [(first, []), (second, ["--lsp", first.phone.home])] {
      let verdict = try phone.run(["judge", "--require-settled"] + more)
      #expect(verdict.contains("Verdict: sound."), "\(verdict)")
    }
  }

  private func expectPaid(_ invoice: String, by sender: CommandPhone) throws {
    let words = try sender.run("pay", invoice)
    guard !words.contains("settled") else { return }
    Issue.record("\(words)\n\(try first.run("logs"))\n\(try second.run("logs"))")
  }

  @Test func `Two phones on one lspd are paid, pushed to and judged each for itself`() throws {
    try start()
    let mine = try (1...2).map { _ in try first.invoice(sat: 5000) }
    let theirs = try (1...2).map { _ in try second.invoice(sat: 7000) }
    for phone in [first, second] { try leave(phone) }
    try expectPaid(mine[0], by: first)
    try expectPaid(theirs[0], by: second)
    for phone in [first, second] { try phone.waitUntilAway() }
    // Each payment from the other phone: the payee decides.
    try expectPaid(theirs[1], by: first)
    try expectPaid(mine[1], by: second)
    try expectBalance(first, 1_010_000_000)
    try expectBalance(second, 1_014_000_000)
    for phone in [first, second] {
      #expect(try phone.phone.peerPayments().count == 2)
      // One for each payment, and one more for each 2 s that the wallet stays away.
      let pushes = try phone.phone.pushes()
      #expect(pushes.count >= 2, "\(pushes)")
    }
    let status = try second.run("status")
    #expect(status.contains("2 at the peer, "), "\(status)")
    #expect(status.contains("the lspd of the phone in \(first.phone.home)"), "\(status)")
    let down = try second.run("down", "--json")
    #expect(down.contains("is the lspd of the phone in \(first.phone.home)"), "\(down)")
    try expectBalance(first, 1_010_000_000)
    _ = try first.run("down")
    try expectSound()
  }

  @Test func `One phone's app is killed, and lspd is, and neither phone loses a payment`() throws {
    try start()
    let mine = try first.invoice(sat: 5000)
    let theirs = try (1...2).map { _ in try second.invoice(sat: 7000) }
    // The order to fail is of the phone that gives it.
    #expect(try second.run("lsp", "fail", "fee_insufficient").contains("fee_insufficient"))
    #expect(try first.run("pay", mine).contains("settled"))
    #expect(try first.run("pay", theirs[0]).contains("fee_insufficient"))

    let app = try #require(try PhoneDriver(second.phone).status().app.pid)
    kill(app, SIGKILL)
    try second.waitUntilAway()
    #expect(try isConnected(first))
    try expectPaid(theirs[0], by: second)

    let peer = try #require(DaemonProbe.pid(listeningOn: first.phone.lspdSocket).flatMap(WatchedProcess.init))
    peer.send(SIGKILL)
    #expect(peer.waitForEnd(within: .seconds(20)))
    // Without the option: lspd remembers the phone.
    _ = try first.run("up")
    try Wait.until("the first app to be connected again") { try isConnected(first) }
    try expectPaid(theirs[1], by: first)
    try expectBalance(first, 1_005_000_000)
    try expectBalance(second, 1_014_000_000)
    for phone in [second, first] { _ = try phone.run("down") }
    try expectSound()
  }
}
