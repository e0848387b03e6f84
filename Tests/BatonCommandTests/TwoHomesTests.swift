import DaemonRuntime
import Foundation
import Testing
import WaitingTests

@testable import PhoneClient

/// Two phones of `baton up`, the second without an lspd of its own.
@Suite("baton up --phone", .waits) struct TwoHomesTests {
  private let first = CommandPhone()
  private let second = CommandPhone()

  private func balance(_ phone: CommandPhone) throws -> UInt64? { try phone.phone.peerFacts().walletMsat }

  @Test func `Two phones on one lspd are paid, pushed to, killed and judged each for itself`() throws {
    let up = try first.run("up", "--phone", second.phone.home)
    #expect(up.contains("is up: "), "\(up)")
    #expect(try second.run("up").hasPrefix("started the missing iosd"))
    for phone in [first, second] { try phone.openAndConnect() }
    let mine = try (1...2).map { _ in try first.invoice(sat: 5000) }
    let theirs = try (1...2).map { _ in try second.invoice(sat: 7000) }
    for phone in [first, second] {
      _ = try phone.run("app", "home")
      try phone.waitUntilAway()
    }
    #expect(try first.run("pay", mine[0]).contains("settled"))
    #expect(try second.run("pay", theirs[0]).contains("settled"))
    // Each payment from the other phone's socket: the payee decides.
    _ = try second.run("app", "quit")
    #expect(try first.run("pay", theirs[1]).contains("settled"))
    #expect(try second.run("pay", mine[1]).contains("settled"))
    #expect(try balance(first) == 1_010_000_000)
    #expect(try balance(second) == 1_014_000_000)
    #expect(try first.phone.peerPayments().count == 2)
    #expect(try first.phone.pushes().count == 2)
    #expect(try second.phone.pushes().count == 2)
    #expect(try first.run("status").contains("2 of at most 2 at the peer"))
    #expect(try second.run("down").contains("is the lspd of the phone in \(first.phone.home)"))
    #expect(try balance(first) == 1_010_000_000)
    _ = try first.run("down")
    for (phone, more) in [(first, []), (second, ["--lsp", first.phone.home])] {
      let verdict = try phone.run(["judge", "--require-settled"] + more)
      #expect(verdict.contains("Verdict: sound."), "\(verdict)")
    }
  }
}
