import DaemonRuntime
import Dispatch
import Glibc
import Ground
import Guardrails
import PhonePolicy
import enum PhonePolicy.AfterContent

/// Plays pushes on many phones at once, each with its own peer and pair.
final class PushCrowd: Sendable {
  /// The outcome on one phone.
  struct Outcome: Sendable {
    var evidence: PushEvidence
    var payments: Int
    var strikes: PushStrikes
    /// Payments that were settled when the user next opened the app, and those whose hold had ended then.
    var untouched: Int
    var lost: Int
    var subjects: [SoakReport.Subject]
  }

  private struct State {
    var done = 0
    var isOver = false
    var outcomes: [Int: Outcome] = [:]
    var failure: String?
  }

  /// Heap bytes that lspd allocates until its statements and tables are filled.
  private static let providerFilling = 65_536.0
  /// Of a wallet whose extension only notifies iosd also keeps the silent push, and the sealed payload for the tap.
  private static let tellingRowBytes = 1500.0
  /// Pushes until the caches are filled.
  private static let warmUp = 3

  private let phones: [Phone]
  private let shares: [Range<Int>]
  private let timers: PushTimers
  private let afterContent: AfterContent
  private let isDebugBuild: Bool
  private let wallet: WalletProfile
  private let user: AbsentUser
  private let state = Locked(State())

  init(
    phones: [Phone], pushes: Int, timers: PushTimers, afterContent: AfterContent, isDebugBuild: Bool,
    wallet: WalletProfile, user: AbsentUser
  ) {
    self.wallet = wallet
    self.user = user
    self.phones = phones
    self.timers = timers
    self.afterContent = afterContent
    self.isDebugBuild = isDebugBuild
    // Numbers continue from phone to phone, so that each kind of push has its share.
    shares = phones.indices.map { pushes * $0 / phones.count..<pushes * ($0 + 1) / phones.count }
  }

  /// `progress` gets the number of finished pushes, every five seconds.
  func run(progress: (Int) -> Void) throws -> [Outcome] {
    let all = DispatchGroup()
    for index in phones.indices {
      DispatchQueue(label: phones[index].home).async(group: all) { [self] in play(index) }
    }
    var reportedAt = Clock.monotonicNow
    while all.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      guard Clock.monotonicNow - reportedAt >= .seconds(5) else { continue }
      reportedAt = Clock.monotonicNow
      progress(state.withLock(\.done))
    }
    let end = state.withLock { $0 }
    if let failure = end.failure { throw Wait.Failure(description: failure) }
    return phones.indices.compactMap { end.outcomes[$0] }
  }

  private func stop(_ sentence: String) {
    state.withLock { state in
      state.isOver = true
      state.failure = state.failure ?? sentence
    }
  }

  private func play(_ index: Int) {
    let phone = phones[index]
    defer { _ = PhoneStopper(phone: phone).stop() }
    do {
      let outcome = try outcome(index)
      state.withLock { $0.outcomes[index] = outcome }
    } catch { stop("\(phone.home): \(CommandFailure(error).description)") }
  }

  /// Bytes per round for the rows that iosd keeps, until they have reached their maximum.
  private func filling(_ rounds: Int) -> Double {
    let rowBytes = SoakRun.rowBytes + (wallet.extension.hasNode ? 0 : Self.tellingRowBytes)
    return rowBytes * Double(min(rounds, SoakRun.roundsUntilFull)) / Double(rounds)
  }

  private func outcome(_ index: Int) throws -> Outcome {
    let phone = phones[index]
    let share = shares[index]
    var options = PhoneStarter.Options()
    options.wallet = wallet
    options.iosdArguments =
      timers.arguments + [
        "--build", isDebugBuild ? "debug" : "production", "--after-content", afterContent.rawValue,
      ]
    let driver = try PhoneDriver(phone, options, lookInterval: .milliseconds(15))
    try driver.start()
    let play = PushPlay(driver, timers, user)
    for number in 1...Self.warmUp { try play.push(number) }
    try play.rest()
    let before = try Daemon.allCases.map { try SoakFigures.of($0, phone) }
    for number in share {
      if state.withLock(\.isOver) { break }
      try play.push(number + 1)
      state.withLock { $0.done += 1 }
    }
    try play.rest()
    let rounds = max(1, share.count)
    let subjects = try zip(Daemon.allCases, before).map { daemon, before in
      SoakReport.Subject(
        name: "\(daemon.rawValue) of phone \(index + 1)", rounds: rounds, before: before,
        after: try SoakFigures.of(daemon, phone),
        allowedBytes: (SoakRun.allowedBytes[daemon] ?? 0)
          + (daemon == .iosd ? filling(rounds) : Self.providerFilling / Double(rounds)))
    }
    return Outcome(
      evidence: try PushEvidence(of: phone), payments: play.payments, strikes: play.strikes,
      untouched: play.untouched, lost: play.lost, subjects: subjects)
  }
}

/// Plays pushes on one phone: each announces a payment that the peer holds for the offline wallet.
final class PushPlay {
  /// The fault that hits the extension while it works.
  enum Kind: Hashable {
    case plain
    /// Stopped; the phone kills it when its time is over.
    case frozen
    /// Killed from outside.
    case killed

    /// One in twenty each; a frozen extension takes its whole time limit.
    init(number: Int) { self = number % 20 == 10 ? .frozen : number % 20 == 15 ? .killed : .plain }
  }

  /// Invoices made at one opening of the app.
  private static let invoicesAtOnce = 25

  let driver: PhoneDriver
  private(set) var payments = 0
  private var strikesMade = PushStrikes()
  private let timers: PushTimers
  /// Payments that were settled when the user next opened the app, and those whose hold had ended then.
  private(set) var untouched = 0
  private(set) var lost = 0
  /// Of the newest push.
  private var number = 0
  private var invoices: [PayableInvoice] = []
  /// Payments since the app was last open.
  private var sinceOpened: [PayableInvoice] = []
  private let user: AbsentUser
  private var seen = PushEvidence(pushes: [], notifications: [], processes: [])
  private let pushRows: GrowingRows<PushRow>
  private let notificationRows: GrowingRows<NotificationRow>

  init(_ driver: PhoneDriver, _ timers: PushTimers, _ user: AbsentUser) {
    self.driver = driver
    self.timers = timers
    self.user = user
    pushRows = GrowingRows("\(driver.phone.os)/pushes.jsonl")
    notificationRows = GrowingRows("\(driver.phone.os)/notifications.jsonl")
  }

  /// Pays until the phone has received a push: a payment may reach a wallet that is still connected.
  func push(_ number: Int) throws {
    self.number = number
    let before = pushCount()
    repeat { try pay(number, startsAnew: number.isMultiple(of: 3)) } while pushCount() == before
  }

  /// With the processes that the driver ended between the pushes.
  var strikes: PushStrikes {
    var strikes = strikesMade
    strikes.ended.formUnion(driver.endedExtensions)
    return strikes
  }

  /// Opens the app, which receives all pending payments, and waits until all is settled.
  func rest() throws {
    try openAndReceive()
    try driver.comeToRest()
  }

  private func openAndReceive() throws {
    let opening = Clock.monotonicNow + user.staysAway(afterPush: number)
    try driver.wait(for: "the user to come") { Clock.monotonicNow >= opening }
    let rows = try driver.phone.peerPayments()
    for invoice in sinceOpened {
      let row = rows.last { $0.paymentHash == invoice.paymentHash.hex }
      if row?.state == "paid" { untouched += 1 } else if row?.state == "failed" { lost += 1 }
    }
    sinceOpened = []
    try driver.openAndConnect()
    try driver.wait(for: "all payments to be settled") { try unsettled() == 0 }
  }

  private func pay(_ number: Int, startsAnew: Bool) throws {
    let kind = Kind(number: number)
    if startsAnew { try driver.endExtension() }
    let invoice = try takeInvoice()
    try driver.waitUntilAway()
    let before = pushCount()
    try driver.pay(invoice, holdSeconds: user.holdSeconds)
    payments += 1
    sinceOpened.append(invoice)
    if kind != .plain { try strike(kind, after: before, delay: timers.strikeDelay(ofPush: number)) }
    try driver.wait(for: "the push to be served") {
      try isQuiet() && (pushCount() > before || isSettled(invoice)) && allAreShown()
    }
    if kind != .plain { strikesMade.pushes.formUnion(pushes(after: before)) }
    // The peer sends no further push for a payment that the extension failed to receive: the app receives it.
    if kind != .plain { try rest() }
  }

  private func pushes(after before: Int) -> Set<UInt64> { Set(seen.pushes.dropFirst(before).map(\.id)) }

  private func strike(_ kind: Kind, after before: Int, delay: TimeSpan) throws {
    var victim: Int32?
    try driver.wait(for: "the extension to be at work") {
      victim = try workingExtension()
      return victim != nil || (pushCount() > before && allAreShown())
    }
    guard let victim, let process = WatchedProcess(pid: victim) else { return }
    let moment = Clock.monotonicNow + delay
    try driver.wait(for: "the moment of the strike", every: .milliseconds(1)) { Clock.monotonicNow >= moment }
    guard kind == .frozen else {
      strikesMade.ended.insert(victim)
      if process.send(SIGKILL) { strikesMade.killed += 1 }
      return
    }
    // One that the phone has stopped is not at work.
    guard try workingExtension() == victim, process.send(SIGSTOP) else { return }
    guard try workingExtension() == victim else { return try letIdle(process) }
    look()
    strikesMade.freezes.append(PushStrikes.Freeze(pid: victim, pushes: pushes(after: before)))
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

  private func pushCount() -> Int {
    look()
    return seen.pushes.count
  }

  private func allAreShown() -> Bool {
    look()
    return seen.allAreShown
  }

  private func look() {
    for row in pushRows.next() { seen.add(push: row) }
    for row in notificationRows.next() { seen.add(notification: row) }
  }

  private func isSettled(_ invoice: PayableInvoice) throws -> Bool {
    let question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex, "wait": "no"])
    return PaymentAnswer(try driver.phone.ask(.lspd, question)).isSettled
  }

  private func unsettled() throws -> Int { try driver.phone.peerPayments().count(where: \.isOpen) }

  private func takeInvoice() throws -> PayableInvoice {
    if invoices.isEmpty {
      try openAndReceive()
      for _ in 0..<Self.invoicesAtOnce { invoices.append(try driver.makeInvoice(amountMsat: 1000)) }
      try driver.quitAndEnd()
    }
    return invoices.removeLast()
  }
}

/// When the user of a soak's phone opens the app, and how long the peer holds a payment until then.
struct AbsentUser {
  let holdSeconds: Int64
  /// From the last payment to the opening of the app, at most.
  let awayAtMost: TimeSpan

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
  /// A fiftieth of each. `serviceExtensionTimeWillExpire` comes after half the time, as the extension still waits 5 s
  /// for another payment.
  case scaled

  var extensionTime: TimeSpan { self == .real ? .seconds(30) : .milliseconds(600) }

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
      ["--beat-interval", "40ms", "--stale-after", "100ms", "--extension-time", "600ms"]
        + ["--expiry-notice", "300ms"]
    }
  }
}
