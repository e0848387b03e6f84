import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

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
    init(number: Int) {
      self = number % 20 == 10 ? .frozen : number % 20 == 15 ? .killed : .plain
    }
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
    repeat {
      try pay(number, startsAnew: number.isMultiple(of: 3))
    } while pushCount() == before
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
    try driver.wait(for: "the moment of the strike", every: .milliseconds(1)) {
      Clock.monotonicNow >= moment
    }
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

  private func unsettled() throws -> Int {
    try driver.phone.peerPayments().count(where: \.isOpen)
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
