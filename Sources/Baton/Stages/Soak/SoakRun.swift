import DaemonRuntime
import Ground

/// The order of a soak: short lives, measurement, long lives, measurement.
struct SoakRun {
  /// Heap bytes that a daemon may keep per round. iosd: nothing, once the rows that it keeps for answers have reached
  /// their maximum. lspd: the 32-byte hash of each paid payment, in an array that doubles; it needs them all, as an
  /// invoice is paid once.
  static let allowedBytes: [Daemon: Double] = [.iosd: 16, .lspd: 80]
  /// iosd keeps the newest 256 processes, notifications, pushes and tasks, some 2,110 bytes for one of each, as measured;
  /// after this many rounds its rows no longer grow.
  static let roundsUntilFull = 260
  static let rowBytes = 2170.0
  /// The first rounds of each kind allocate about 50 KB in iosd and 80 KB in lspd for good: statements, tables, the
  /// runtime's lazy state. They precede the first measurement with any warm-up.
  static let firstRounds = 3
  /// A wallet process keeps nothing of a payment that is in the database.
  static let allowedWalletBytes: Double = 16

  let play: SoakPlay
  let output: Output
  let rounds: Int
  let warmUp: Int

  func run() throws -> SoakReport {
    try play.begin()
    let half = rounds / 2
    try rounds(Self.firstRounds, .longLives, "app kept alive, not counted")
    // The end of a long life also allocates lazily for the first time.
    try play.driver.comeToRest()
    try rounds(Self.firstRounds + warmUp, .shortLives, "app swiped away in each round, not counted")
    try play.driver.comeToRest()
    let before = try Daemon.allCases.map { try SoakFigures.of($0, play.driver.phone) }
    let filesBefore = sizes()
    try rounds(half, .shortLives, "app swiped away in each round")
    try play.driver.comeToRest()
    // The first round starts the two long-lived processes, the others fill their caches.
    let uncounted = max(1, min(warmUp, half / 4))
    try rounds(uncounted, .longLives, "app kept alive, not counted")
    let walletBefore = try Self.roles.map { try SoakFigures.of($0.role, play.driver) }
    let counted = max(1, rounds - half - uncounted)
    try rounds(counted, .longLives, "app kept alive")
    let walletAfter = try Self.roles.map { try SoakFigures.of($0.role, play.driver) }
    try play.driver.comeToRest()
    let all = half + uncounted + counted
    var report = SoakReport()
    for (index, daemon) in Daemon.allCases.enumerated() {
      let filling =
        daemon == .iosd ? Double(max(0, min(all, Self.roundsUntilFull - warmUp - 2 * Self.firstRounds))) : 0
      report.subjects.append(
        .init(
          name: daemon.rawValue, rounds: all, before: before[index],
          after: try SoakFigures.of(daemon, play.driver.phone),
          allowedBytes: (Self.allowedBytes[daemon] ?? 0) + filling * Self.rowBytes / Double(all)))
    }
    for (index, role) in Self.roles.enumerated() {
      report.subjects.append(
        .init(
          name: role.process, rounds: counted, before: walletBefore[index], after: walletAfter[index],
          allowedBytes: Self.allowedWalletBytes))
    }
    for (old, new) in zip(filesBefore, sizes()) {
      report.filesPerRound.append((old.name, (new.bytes - old.bytes) / Int64(all)))
    }
    return report
  }

  private static let roles = [
    (role: Role.app, process: "mainappd"), (role: Role.extension, process: "notifyextd"),
  ]

  private func rounds(_ count: Int, _ style: SoakPlay.Style, _ name: String) throws {
    for number in stride(from: 1, through: count, by: 1) {
      try play.round(style)
      if !output.isJSON && (number == count || number.isMultiple(of: 100)) {
        output.say("\(name): \(number) of \(HumanText.count(count, "round"))")
      }
    }
  }

  private func sizes() -> [(name: String, bytes: Int64)] {
    let phone = play.driver.phone
    return [
      ("journals", size(of: phone.journal) { _ in true }),
      ("lspd's ledger", size(of: phone.lsp) { $0.hasPrefix("ledger.sqlite") }),
      ("the wallet's database", size(of: phone.container) { $0.hasPrefix("node.sqlite") }),
      ("iosd's rows", size(of: phone.os) { $0.hasSuffix(".jsonl") }),
    ]
  }

  private func size(of directory: String, _ counts: (String) -> Bool) -> Int64 {
    (DirectoryListing.names(of: directory) ?? []).filter(counts).reduce(0) { sum, name in
      sum + Int64(FilePath.size(of: "\(directory)/\(name)"))
    }
  }
}

/// Plays rounds on one phone. A round is a payment with a push while the app is closed or in the background; then the
/// app comes to the front, takes over the node and makes the next invoice.
final class SoakPlay {
  /// How long the wallet processes live.
  enum Style {
    /// The app is swiped away after each round; every other push starts a new extension.
    case shortLives
    /// The app is only sent to the background, and one extension serves every push.
    case longLives
  }

  let driver: PhoneDriver
  private(set) var settled = 0
  private(set) var slowest = TimeSpan.zero
  private(set) var totalPaying = TimeSpan.zero
  private var invoice: PayableInvoice?
  private var number = 0

  init(_ driver: PhoneDriver) { self.driver = driver }

  /// Makes the first invoice; afterwards only the daemons run.
  func begin() throws {
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    try driver.comeToRest()
  }

  func round(_ style: Style) throws {
    number += 1
    do {
      try play(style)
    } catch let failure as Wait.Failure {
      throw Wait.Failure(description: "\(failure), in round \(number)")
    }
  }

  private func play(_ style: Style) throws {
    if style == .shortLives && number.isMultiple(of: 2) { try driver.endExtension() }
    try pay()
    try driver.openAndConnect()
    invoice = try driver.makeInvoice(amountMsat: 1000)
    switch style {
    case .shortLives: try driver.quitAndEnd()
    case .longLives: try driver.goHomeAndRelease()
    }
  }

  private func pay() throws {
    guard let invoice else { throw Wait.Failure(description: "there is no invoice to pay") }
    try driver.waitUntilAway()
    let start = Clock.monotonicNow
    let answer = try driver.pay(invoice, waits: true)
    guard answer.isSettled else {
      throw Wait.Failure(
        description: "payment \(number) ended as \(answer.state) (\(answer.reason ?? "no reason"))")
    }
    let took = Clock.monotonicNow - start
    settled += 1
    slowest = max(slowest, took)
    totalPaying = TimeSpan(nanoseconds: totalPaying.nanoseconds + took.nanoseconds)
  }
}
