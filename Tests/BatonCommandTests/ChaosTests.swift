import Platform

@testable import Baton

@Suite("baton chaos", .waits) struct ChaosTests {
  private let scratch = TemporaryDirectory()

  private func run(_ words: [String]) throws -> (end: ProcessEnd?, said: String) {
    let end = try scratch.start("baton", ["chaos"] + words).end()
    return (end, scratch.text("said"))
  }

  @Test(
    arguments: [
      (judge: 0, isBroken: false, isStuck: false, hits: 1, code: .done),
      (2, false, false, 1, .exclusionOrMoneyBroken), (3, false, true, 1, .noProgress),
      (2, true, true, 0, .exclusionOrMoneyBroken), (0, true, false, 1, .exclusionOrMoneyBroken),
      (0, false, true, 0, .noProgress), (0, false, false, 0, .bugOfOurs),
      (74, true, false, 1, .inputOutputError),
    ] as [(judge: Int32, isBroken: Bool, isStuck: Bool, hits: Int, code: ExitCode)])
  func `A chaos run ends with the judge's exit code, else by its replay, its payments and its hits`(
    run: (judge: Int32, isBroken: Bool, isStuck: Bool, hits: Int, code: ExitCode)
  ) {
    expect(
      ChaosVerb.exitCode(judge: run.judge, isBroken: run.isBroken, isStuck: run.isStuck, hits: run.hits),
      is: run.code)
  }

  @Test(
    .disabled(if: CommandPhone.isSanitized, "a sanitized program needs memory of its own"),
    arguments: [
      (strike: "crash", victims: ["lspd", "app", "iosd"]), ("kill", ["iosd", "lspd"]),
      ("freeze", ["lspd", "iosd"]),
    ] as [(strike: String, victims: [String])])
  func `Each of the four processes is struck, each payment settles once, and each journal replays`(
    run: (strike: String, victims: [String])
  ) throws {
    let home = scratch("\(run.strike)/phone")
    try FilePath.makeDirectories(scratch(run.strike))
    let (end, said) = try self.run(
      [run.strike, "\(run.victims.count)", "--home", home, "--json"]
        + run.victims.flatMap { ["--victim", $0] })
    defer { _ = PhoneStopper(phone: Phone(home: home)).stop() }
    expect(end, is: .exited(code: 0), "\(said)")
    let report = try #require(said.split(separator: "\n").last.flatMap { JSONValue(parsing: Array($0.utf8)) })
    expect(report["settled"]?.int, is: Int64(run.victims.count))
    expect(report["complaints"]?.elements, is: [])
    let hits = try #require(report["hits"]?.elements)
    // lspd and iosd always run.
    for daemon in run.victims where daemon != "app" {
      #expect(hits.contains { $0["process"]?.text == daemon && $0["times"]?.int == 1 }, "\(said)")
    }
    #expect(FilePath.exists("\(home)/lsp/ledger.sqlite"))
    for daemon in Daemon.allCases {
      #expect(DaemonProbe.pid(listeningOn: Phone(home: home).socket(of: daemon)) == nil)
    }
    if run.strike != "freeze" {
      // Those of the first start, and of the start after the strike.
      for daemon in run.victims where daemon != "app" {
        expect(FilePath.journals(in: "\(home)/journal").count { $0.contains("-\(daemon)-") }, is: 2)
      }
    }
  }

  /// As on a busy machine.
  @Test func `An extension that starts later than a payment takes is struck at its start`() throws {
    let phone = Phone(home: scratch("phone"))
    let play = try ChaosPlay(phone, .kill, victims: [.extension], wallet: .phoenix, payments: 1, seed: 1)
    defer { play.stop() }
    try play.begin()
    // A push waits for the network.
    let driver = try PhoneDriver(phone)
    try driver.switchDevice("network", "no")
    let network = Aside {
      try Wait.until("the push") { try !phone.pushes().isEmpty }
      Kernel.pause(milliseconds: 300)
      try PhoneDriver(phone).switchDevice("network", "yes")
    }
    try play.round(0)
    _ = try #require(network.result).get()
    expect(play.report.hitCount, is: 1)
  }
}
