import Platform
import SharedContainer
import WalletProcess

@testable import Baton
@testable import PhonePolicy

@Suite("The hand of a live screen", .waits) struct LiveHandTests {
  private let phone = CommandPhone()

  @Test func `The wallet can be paid although its holder is frozen, or was killed`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let hand = LiveHand(phone.phone)
    let said: [(LiveAction, String)] = [
      (.freeze, "is stopped; `thaw` continues it"), (.pay, "offered: "), (.home, "in the background"),
      (.open, "in front"), (.thaw, "goes on"), (.thaw, "no holder of the node is frozen"),
      (.kill, "is killed"),
      (.pay, "held: "),
    ]
    for (action, words) in said {
      let outcome = hand.perform(action)
      #expect(outcome.sentence.contains(words), "\(outcome)")
      if action == .kill { try phone.waitUntilAway() }
    }
  }
}

@Suite("What a live look and the metrics count", .waits) struct LiveFiguresTests {
  private let scratch = TemporaryDirectory()
  private var phone: Baton.Phone { Baton.Phone(home: scratch("phone")) }

  private func receive(_ numbers: ClosedRange<Int>) throws {
    try FileManager.default.createDirectory(atPath: phone.home, withIntermediateDirectories: true)
    _ = try SharedContainer.open(phone.container, role: .app, nodeSchema: WalletSchema.steps)
    let raw = try Connection(path: "\(phone.container)/node.sqlite", access: .readWrite)
    let rows =
      "WITH RECURSIVE n(i) AS (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))"
    let hash = "CAST(printf('%032d', i) AS BLOB)"
    try raw.execute("INSERT INTO invoices \(rows) SELECT \(hash), 1000, 'tea', \(hash), 10 FROM n")
    try raw.execute("INSERT INTO received_payments \(rows) SELECT i, \(hash), 1000, 1, 10 FROM n")
    try raw.checkpoint()
  }

  private func look() -> LiveView { LiveLook(phone).take(changed: true) }

  private func wallet(_ view: LiveView) -> String? {
    var screen = WatchScreen(home: view.home, columns: 120, rows: 24, at: Clock.monotonicNow)
    _ = screen.handle(.looked(view), at: Clock.monotonicNow)
    return screen.lines.map(\.text).first { $0.hasPrefix("wallet") }
  }

  private func metric(_ name: String, _ tally: LiveTally) -> [String] {
    tally.metrics(look()).split(separator: "\n").filter { $0.hasPrefix(name) }.map(String.init)
  }

  @Test func `Above 1,000 payments a look says that there are more, and the metrics go on counting`() throws {
    let tally = LiveTally(phone)
    try receive(1...1000)
    expect(wallet(look()), is: "wallet    1,000 payments received")
    expect(metric("baton_payments_received_total", tally), is: ["baton_payments_received_total 1000"])
    try receive(1001...2500)
    let view = look()
    #expect(view.paymentsReceived == 1000 && !view.paymentsReceivedIsExact)
    expect(wallet(view), is: "wallet    more than 1,000 payments received")
    expect(metric("baton_payments_received_total", tally), is: ["baton_payments_received_total 2500"])
  }

  @Test func `Odd rows of processes are counted as they are`() throws {
    var row = ProcessRow(
      id: 1, role: "", pid: 7, startTime: 1, path: "/bin/other", launchReason: "x", startedWallNs: 1,
      startedAtNs: 1, endedWallNs: 2, endedAtNs: 2, how: "signalled", number: 9)
    var lines = row.json + "\n"
    (row.id, row.role) = (2, "two words")
    lines += row.json + "\n"
    scratch.write("phone/os/processes.jsonl", lines)
    expect(
      metric("baton_processes_ended_total", LiveTally(phone)),
      is: [
        #"baton_processes_ended_total{process="",how="signalled"} 1"#,
        #"baton_processes_ended_total{process="two words",how="signalled"} 1"#,
      ])
  }

  @Test(arguments: ["pushes", "processes", "notifications"])
  func `A pipe or a link in place of rows of iosd has no rows, and holds up no look`(name: String) throws {
    let row = ProcessRow(
      id: 7, role: "app", pid: 7, startTime: 1, path: "/bin/mainappd", launchReason: "x", startedWallNs: 1,
      startedAtNs: 1, endedWallNs: 2, endedAtNs: 2, how: "exited")
    let place = "\(phone.os)/\(name).jsonl"
    let elsewhere = scratch.write("elsewhere", row.json + "\n")
    scratch.write("phone/os/empty", "")
    expect(symlink(elsewhere, place), is: 0)
    expect(GrowingRows<ProcessRow>(elsewhere).next(), is: [row])
    expect(GrowingRows<ProcessRow>(place).next(), is: [])
    unlink(place)
    expect(mkfifo(place, 0o600), is: 0)
    expect(look().pushes, is: [])
  }
}
