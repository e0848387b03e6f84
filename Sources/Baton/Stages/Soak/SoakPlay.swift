import DaemonRuntime
import Ground
import PhonePolicy

/// Plays rounds on one phone: short lives, measurement, long lives, measurement. A round is a payment with a push while
/// the app is closed or in the background; then the app comes to the front, takes over the node and makes the next invoice.
final class SoakPlay {
  /// How long the wallet processes live.
  private enum Style: String {
    /// The app is swiped away after each round; every other push starts a new extension.
    case shortLives = "app swiped away in each round"
    /// The app is only sent to the background, and one extension serves every push.
    case longLives = "app kept alive"
  }

  /// The first rounds of each kind allocate about 50 KB in iosd and 80 KB in lspd for good: statements, tables, the
  /// runtime's lazy state. They precede the first measurement with any warm-up.
  private static let firstRounds = 3

  private let driver: PhoneDriver
  private let output: Output
  private let rounds: Int
  private let warmUp: Int
  private var settled = 0
  private var slowest = TimeSpan.zero
  private var number = 0

  init(_ phone: Phone, _ invocation: Invocation) throws {
    output = invocation.output
    rounds = Int(clamping: invocation.line.number("--rounds"))
    warmUp = Int(clamping: invocation.line.number("--warm-up"))
    var options = PhoneStarter.Options()
    options.iosdArguments = ["--build", invocation.line.text("--build") ?? "production"]
    driver = try PhoneDriver(phone, options)
  }

  func run() throws -> SoakReport {
    defer { driver.stop() }
    try driver.start()
    var invoice = try nextInvoice()
    try driver.comeToRest()
    let half = rounds / 2
    // The first round starts the two long-lived processes, the others fill their caches.
    let uncounted = max(1, min(warmUp, half / 4))
    let counted = max(1, rounds - half - uncounted)
    let all = half + uncounted + counted
    func play(_ count: Int, _ style: Style, isCounted: Bool = true) throws {
      for round in stride(from: 1, through: count, by: 1) {
        invoice = try playRound(invoice, style)
        guard !output.isJSON, round == count || round.isMultiple(of: 100) else { continue }
        let name = isCounted ? style.rawValue : "\(style.rawValue), not counted"
        output.say("\(name): \(round) of \(HumanText.count(count, "round"))")
      }
    }
    try play(Self.firstRounds, .longLives, isCounted: false)
    // The end of a long life also allocates lazily for the first time.
    try driver.comeToRest()
    try play(Self.firstRounds + warmUp, .shortLives, isCounted: false)
    try driver.comeToRest()
    var wallet: [SoakedProcess] = []
    let filling = max(0, min(all, SoakedProcess.roundsUntilFull - warmUp - 2 * Self.firstRounds))
    let daemons = try SoakedProcess.measured(
      [.iosd, .lspd], driver, rounds: all, filling: [.iosd: Double(filling) * SoakedProcess.rowBytes]
    ) {
      try play(half, .shortLives)
      try driver.comeToRest()
      try play(uncounted, .longLives, isCounted: false)
      wallet = try SoakedProcess.measured([.app, .extension], driver, rounds: counted) {
        try play(counted, .longLives)
      }
      try driver.comeToRest()
    }
    return SoakReport(
      processes: daemons + wallet, complaints: (daemons + wallet).flatMap(\.problems).map { "leak: \($0)" },
      settled: settled,
      slowestPaymentMs: slowest.wholeMilliseconds)
  }

  private func nextInvoice() throws -> PayableInvoice {
    try driver.openAndConnect()
    return try driver.makeInvoice(amountMsat: 1000)
  }

  /// The invoice for the next round.
  private func playRound(_ invoice: PayableInvoice, _ style: Style) throws -> PayableInvoice {
    number += 1
    do {
      if style == .shortLives && number.isMultiple(of: 2) { try driver.endExtension() }
      try pay(invoice)
      let next = try nextInvoice()
      switch style {
      case .shortLives: try driver.quitAndEnd()
      case .longLives: try driver.goHomeAndRelease()
      }
      return next
    } catch let failure as Wait.Failure {
      throw Wait.Failure(description: "\(failure), in round \(number)")
    }
  }

  private func pay(_ invoice: PayableInvoice) throws {
    try driver.waitUntilAway()
    let start = Clock.monotonicNow
    let answer = try driver.pay(invoice, waits: true)
    guard answer.isSettled else {
      throw Wait.Failure(
        description: "the payment ended as \(answer.state) (\(answer.reason ?? "no reason"))")
    }
    settled += 1
    slowest = max(slowest, Clock.monotonicNow - start)
  }
}
