import DaemonRuntime
import Glibc
import Ground
import Guardrails
import PhonePolicy

/// Plays pushes on one phone, which has its own peer and pair: each announces a payment that the peer holds for the
/// offline wallet.
final class PushPlay {
  struct Outcome: Sendable {
    var evidence = PushEvidence()
    var strikes = PushStrikes()
    var payments = 0
    /// Payments that were settled when the user next opened the app, and those whose hold had ended then.
    var untouched = 0
    var lost = 0
    var processes: [SoakedProcess] = []
    /// Sentences; empty if all is well.
    var problems: [String] = []
  }

  /// The fault that hits the extension while it works.
  private enum Fault {
    /// Stopped; the phone kills it when its time is over.
    case freeze
    /// Killed from outside.
    case kill

    /// One in twenty each; a frozen extension takes its whole time limit.
    init?(number: Int) {
      switch number % 20 {
      case 10: self = .freeze
      case 15: self = .kill
      default: return nil
      }
    }
  }

  /// Heap bytes that lspd allocates until its statements and tables are filled.
  private static let providerFilling = 65_536.0
  /// Of a wallet whose extension only notifies iosd also keeps the silent push, and the sealed payload for the tap.
  private static let tellingRowBytes = 1500.0
  /// Pushes until the caches are filled.
  private static let warmUp = 3
  /// Invoices made at one opening of the app.
  private static let invoicesAtOnce = 25

  private let driver: PhoneDriver
  private let options: PushOptions
  private var outcome = Outcome()
  /// Of the newest push.
  private var number = 0
  private var invoices: [PayableInvoice] = []
  /// Payments since the app was last open.
  private var sinceOpened: [PayableInvoice] = []
  private let pushRows: GrowingRows<PushRow>
  private let notificationRows: GrowingRows<NotificationRow>

  init(_ phone: Phone, _ options: PushOptions) throws {
    self.options = options
    driver = try PhoneDriver(phone, options.starter, lookInterval: .milliseconds(15))
    pushRows = GrowingRows("\(phone.os)/pushes.jsonl")
    notificationRows = GrowingRows("\(phone.os)/notifications.jsonl")
  }

  /// `isOver` is asked before each push, and `noteDone` called after it.
  func run(_ numbers: Range<Int>, isOver: () -> Bool, noteDone: () -> Void) throws -> Outcome {
    defer { driver.stop() }
    try driver.start()
    for number in 1...Self.warmUp { try push(number) }
    try rest()
    let rowBytes = SoakedProcess.rowBytes + (options.wallet.extension.hasNode ? 0 : Self.tellingRowBytes)
    let rounds = max(1, numbers.count)
    let rows = rowBytes * Double(min(rounds, SoakedProcess.roundsUntilFull))
    outcome.processes = try SoakedProcess.measured(
      [.iosd, .lspd], driver, rounds: rounds, filling: [.iosd: rows, .lspd: Self.providerFilling]
    ) {
      for number in numbers where !isOver() {
        try push(number + 1)
        noteDone()
      }
      try rest()
    }
    look()
    try outcome.evidence.finish(of: driver.phone)
    outcome.strikes.ended.formUnion(driver.endedExtensions)
    // A debug build has no time limit: no extension is killed for it.
    outcome.problems =
      outcome.evidence.problems(
        limit: options.timers.extensionTime, strikes: outcome.strikes, hasLimits: !options.isDebugBuild)
      + outcome.processes.flatMap(\.problems)
    return outcome
  }

  /// Pays until the phone has received a push: a payment may reach a wallet that is still connected.
  private func push(_ number: Int) throws {
    self.number = number
    let before = pushes.count
    repeat { try pay(number, startsAnew: number.isMultiple(of: 3)) } while pushes.count == before
  }

  /// Opens the app, which receives all pending payments, and waits until all is settled.
  private func rest() throws {
    try openAndReceive()
    try driver.comeToRest()
  }

  private func openAndReceive() throws {
    let opening = Clock.monotonicNow + options.staysAway(afterPush: number)
    try driver.wait(for: "the user to come") { Clock.monotonicNow >= opening }
    let rows = try driver.phone.peerPayments()
    for invoice in sinceOpened {
      let row = rows.last { $0.paymentHash == invoice.paymentHash.hex }
      if row?.state == "paid" { outcome.untouched += 1 } else if row?.state == "failed" { outcome.lost += 1 }
    }
    sinceOpened = []
    try driver.openAndConnect()
    try driver.wait(for: "all payments to be settled") {
      try !driver.phone.peerPayments().contains(where: \.isOpen)
    }
  }

  private func pay(_ number: Int, startsAnew: Bool) throws {
    let fault = Fault(number: number)
    if startsAnew { try driver.endExtension() }
    let invoice = try takeInvoice()
    try driver.waitUntilAway()
    let before = pushes
    try driver.pay(invoice, holdSeconds: options.holdSeconds)
    outcome.payments += 1
    sinceOpened.append(invoice)
    if let fault { try strike(fault, after: before) }
    try driver.wait(for: "the push to be served") {
      try isQuiet() && (pushes.count > before.count || isSettled(invoice)) && allAreShown
    }
    guard fault != nil else { return }
    let new = pushes.subtracting(before)
    outcome.strikes.pushes.formUnion(new)
    // The peer sends no further push for a payment that the extension failed to receive: the app receives it.
    try rest()
  }

  private func strike(_ fault: Fault, after before: Set<UInt64>) throws {
    var victim: Int32?
    try driver.wait(for: "the extension to be at work") {
      victim = try workingExtension()
      return victim != nil || (pushes.count > before.count && allAreShown)
    }
    guard let victim, let process = WatchedProcess(pid: victim) else { return }
    let moment = Clock.monotonicNow + options.timers.strikeDelay(ofPush: number)
    try driver.wait(for: "the moment of the strike", every: .milliseconds(1)) { Clock.monotonicNow >= moment }
    guard fault == .freeze else {
      outcome.strikes.ended.insert(victim)
      if process.send(SIGKILL) { outcome.strikes.killed += 1 }
      return
    }
    // One that the phone has stopped is not at work.
    guard try workingExtension() == victim, process.send(SIGSTOP) else { return }
    guard try workingExtension() == victim else { return try letIdle(process) }
    let new = pushes.subtracting(before)
    outcome.strikes.freezes.append(.init(pid: victim, pushes: new))
    try driver.wait(for: "the frozen extension to be killed") { try workingExtension() != victim }
    try letIdle(process)
  }

  /// An idle extension has no time limit: it is not left stopped. A suspended one is the phone's to resume.
  private func letIdle(_ process: WatchedProcess) throws {
    let facts = try driver.status().extension
    if facts.pid == process.pid, facts.state == "idle" { process.send(SIGCONT) }
  }

  // MARK: State

  private func workingExtension() throws -> Int32? {
    let facts = try driver.status().extension
    let isIdle = ExtensionState.restingWords.contains(facts.state) || facts.state == "launching"
    return isIdle ? nil : facts.pid
  }

  private func isQuiet() throws -> Bool {
    let facts = try driver.status().extension
    return ExtensionState.restingWords.contains(facts.state) && facts.waitingPushes == 0
  }

  private var pushes: Set<UInt64> {
    look()
    return Set(outcome.evidence.pushes.keys)
  }

  private var allAreShown: Bool {
    look()
    return outcome.evidence.allAreShown
  }

  private func look() {
    outcome.evidence.add(pushes: pushRows.next())
    outcome.evidence.add(notifications: notificationRows.next())
  }

  private func isSettled(_ invoice: PayableInvoice) throws -> Bool {
    let question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex, "wait": "no"])
    return PaymentAnswer(try driver.phone.ask(.lspd, question)).isSettled
  }

  private func takeInvoice() throws -> PayableInvoice {
    if invoices.isEmpty {
      try openAndReceive()
      for _ in 0..<Self.invoicesAtOnce { invoices.append(try driver.makeInvoice(amountMsat: 1000)) }
      try driver.quitAndEnd()
    }
    return invoices.removeLast()
  }
}

/// How the phones of `baton soak --phones` are started, and when their user opens the app.
struct PushOptions: Sendable {
  let timers: PushTimers
  let wallet: WalletProfile
  let isDebugBuild: Bool
  private let afterContent: String
  /// How long the peer holds a payment.
  let holdSeconds: Int64
  /// From the last payment to the opening of the app, at most.
  private let awayAtMost: TimeSpan

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    timers = line.word("--timers", as: PushTimers.self)
    wallet = WalletOption.profile(line)
    isDebugBuild = line.text("--build") == "debug"
    afterContent = line.text("--after-content") ?? AfterContent.suspend.rawValue
    holdSeconds = line.time("--hold").wholeMilliseconds / 1000
    awayAtMost = line.time("--away")
    try require((1...86_400).contains(holdSeconds), .wrongUsage, "--hold must be from 1s to 24h")
    try require(awayAtMost <= .seconds(10), .wrongUsage, "--away must be from 0s to 10s")
  }

  var starter: PhoneStarter.Options {
    var options = PhoneStarter.Options()
    options.wallet = wallet
    options.iosdArguments =
      timers.arguments + ["--build", isDebugBuild ? "debug" : "production", "--after-content", afterContent]
    return options
  }

  /// Drawn between zero and the most; the number of the push before is the seed.
  func staysAway(afterPush number: Int) -> TimeSpan {
    let most = awayAtMost.wholeMilliseconds
    guard most > 0 else { return .zero }
    var chance = SeededGenerator(seed: UInt64(number))
    return .milliseconds(Int64(chance.below(Int(most) + 1)))
  }
}

/// The timers of the phones in a soak with many phones.
enum PushTimers: String, CaseIterable {
  /// A beat every 2 s, frozen after 5 s, 30 s for a push.
  case real
  /// A fiftieth of the beats, 3 s for a push. `serviceExtensionTimeWillExpire` comes after 0.3 s, as the extension still
  /// waits 5 s for another payment: the rest is for a busy machine.
  case scaled

  var extensionTime: TimeSpan { self == .real ? .seconds(30) : .seconds(3) }

  /// When an extension that has received its payment stops waiting for another one, and releases and delivers.
  private var deliveryMilliseconds: Int { self == .real ? 5000 : 300 }

  /// From the first look at a working extension to the strike: half of the strikes hit the start, the claim and the
  /// payment, the others the release and the delivery. The push's number is the seed.
  func strikeDelay(ofPush number: Int) -> TimeSpan {
    var chance = SeededGenerator(seed: UInt64(number))
    let start = chance.below(2) == 0 ? 0 : deliveryMilliseconds - 40
    return .milliseconds(Int64(start + chance.below(80)))
  }

  var arguments: [String] {
    switch self {
    case .real: []
    case .scaled:
      [
        "--beat-interval", "40ms", "--stale-after", "100ms",
        "--extension-time", "\(extensionTime.wholeMilliseconds)ms",
        "--expiry-notice", "\(extensionTime.wholeMilliseconds - Int64(deliveryMilliseconds))ms",
      ]
    }
  }
}
