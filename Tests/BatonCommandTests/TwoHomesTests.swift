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

  @Test func `A phone that has had an lspd of its own is refused, and one's own phone`() throws {
    _ = try second.run("up")
    _ = try second.run("down")
    let refused = try first.run("up", "--phone", second.phone.home)
    #expect(refused.contains("has had an lspd of its own"), "\(refused)")
    let own = try first.run("up", "--phone", first.phone.home)
    #expect(own.contains("--phone names the phone of this lspd"), "\(own)")
  }

  @Test func `A mistyped directory of another phone is refused, and nothing is made`() throws {
    let end = first.scratch.end(
      try first.scratch.start(
        "baton", ["--home", first.phone.home, "up", "--phone", first.scratch("nowhere")]))
    #expect(end == .exited(code: 73))
    #expect(first.scratch.text("said").contains("there is no directory \(first.scratch("nowhere"))"))
    #expect(first.scratch.names == ["said"])
  }
}

@Suite("baton up", .waits) struct TwoStartsTests {
  private let scratch = Scratch()

  private func start(_ verb: [String], into name: String = "said") throws -> ChildProcess {
    try scratch.start("baton", ["--home", scratch("phone")] + verb, into: name)
  }

  @Test func `Four baton up at once start one phone, and each succeeds`() throws {
    defer {
      if let down = try? start(["down"]) { _ = scratch.end(down) }
      Journals.replay(of: scratch("phone"))
    }
    let starts = try (0..<4).map { try start(["up", "--json"], into: "\($0)") }
    let ends = starts.map(scratch.end)
    let answers = (0..<4).map { scratch.text("\($0)") }
    for (end, answer) in zip(ends, answers) { #expect(end == .exited(code: 0), "\(answer)") }
    func pid(_ daemon: String, _ answer: String) -> Int64? {
      JSONValue(parsing: Array(answer.utf8))?[daemon]?.int
    }
    #expect(Set(answers.map { pid("iosd", $0) }).count == 1)
    #expect(Set(answers.map { pid("lspd", $0) }).count == 1)
    #expect(pid("iosd", answers[0]) != nil)
    #expect(answers.filter { $0.contains(#""started":["lspd","iosd"]"#) }.count == 1)
  }

  @Test
  func `baton up refuses impossible beat and ping intervals before a daemon starts`() throws {
    for (options, words) in [
      (["--beat-interval", "3s"], "the time until a beat is stale must be at least two beat intervals"),
      (["--beat-interval", "1ms"], "the beat interval must be between 10 ms and 10 minutes"),
      (["--stale-after", "2h"], "the time until a beat is stale must be at most one hour"),
      (["--ping-after", "300ms"], "--ping-after 300ms causes up to 66 pings and pongs in 10 s"),
    ] {
      #expect(scratch.end(try start(["up"] + options)) == .exited(code: 64))
      #expect(scratch.text("said").hasPrefix("baton: \(words)"), "\(scratch.text("said"))")
      #expect(access(scratch("phone"), F_OK) != 0)
    }
  }

  @Test
  func `A file in place of the phone's directory or of one of its subdirectories is refused`() throws {
    close(open(scratch("phone"), O_CREAT | O_WRONLY, 0o600))
    #expect(scratch.end(try start(["up"])) == .exited(code: 73))
    #expect(
      scratch.text("said")
        == "baton: cannot use \(scratch("phone")): it is not a directory; move it away, or use another path\n"
    )
    unlink(scratch("phone"))
    mkdir(scratch("phone"), 0o700)
    close(open(scratch("phone/os"), O_CREAT | O_WRONLY, 0o600))
    #expect(scratch.end(try start(["up"])) == .exited(code: 73))
    #expect(
      scratch.text("said").hasPrefix(
        "baton: cannot open \(scratch("phone"))/os/wallet: a part of the path is not a directory"))
  }
}
