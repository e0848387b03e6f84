import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import Glibc
import Reports

/// Pushes on one phone of many: each is about a payment that the peer holds for a wallet that is away.
final class PushPlay {
  /// What becomes of the extension while it works.
  enum Kind: Hashable {
    case plain
    /// Stopped, and thus killed when its time is over.
    case frozen
    /// Killed by somebody else.
    case killed

    /// One in twenty each: a frozen one costs the whole of its time.
    init(number: Int) {
      self = number % 20 == 10 ? .frozen : number % 20 == 15 ? .killed : .plain
    }
  }

  /// More payments than a phone has invoices for are not under way.
  private static let invoicesAtOnce = 25

  let driver: PhoneDriver
  private(set) var payments = 0
  private(set) var frozen = 0
  private(set) var killed = 0
  private var invoices: [PayableInvoice] = []
  private var seen = PushEvidence(pushes: [], notifications: [], processes: [])
  private let pushRows: GrowingRows<PushRow>
  private let notificationRows: GrowingRows<NotificationRow>

  init(_ driver: PhoneDriver) {
    self.driver = driver
    pushRows = GrowingRows("\(driver.phone.os)/pushes.jsonl")
    notificationRows = GrowingRows("\(driver.phone.os)/notifications.jsonl")
  }

  /// Until the phone has really had it; a payment that is on the way meets its wallet by itself at times.
  func push(_ number: Int) throws {
    let before = pushCount()
    repeat {
      try pay(Kind(number: number), startsAnew: number.isMultiple(of: 3))
    } while pushCount() == before
  }

  /// Opens the app, which receives whatever is left, and lets everything come to rest.
  func rest() throws {
    try driver.openAndConnect()
    try driver.wait(for: "all payments to be settled") { try unsettled() == 0 }
    try driver.comeToRest()
  }

  private func pay(_ kind: Kind, startsAnew: Bool) throws {
    if startsAnew { try driver.endExtension() }
    let invoice = try takeInvoice()
    try driver.waitUntilAway()
    let before = pushCount()
    try driver.pay(invoice, holdSeconds: 3600)
    payments += 1
    if kind != .plain { try strike(kind, after: before) }
    try driver.wait(for: "the push to be served") {
      try isQuiet() && (pushCount() > before || isSettled(invoice)) && allAreShown()
    }
    // What it could not receive is not left to a push that nobody asks for.
    if kind != .plain { try rest() }
  }

  private func strike(_ kind: Kind, after before: Int) throws {
    var victim: Int32?
    try driver.wait(for: "the extension to be at work") {
      victim = try workingExtension()
      return victim != nil || (pushCount() > before && allAreShown())
    }
    guard let victim, let process = WatchedProcess(pid: victim) else { return }
    guard kind == .frozen else {
      if process.send(SIGKILL) { killed += 1 }
      return
    }
    guard process.send(SIGSTOP) else { return }
    // Stopped with nothing to do, nobody would count its time.
    guard try workingExtension() == victim else {
      process.send(SIGCONT)
      return
    }
    frozen += 1
    try driver.wait(for: "the frozen extension to be killed") { try workingExtension() != victim }
  }

  // MARK: Looking

  private func workingExtension() throws -> Int32? {
    let facts = try driver.status().extension
    return ["idle", "not running", "launching"].contains(facts.state) ? nil : facts.pid
  }

  private func isQuiet() throws -> Bool {
    let facts = try driver.status().extension
    return ["idle", "not running"].contains(facts.state) && facts.waitingPushes == 0
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
      try driver.openAndConnect()
      for _ in 0..<Self.invoicesAtOnce { invoices.append(try driver.makeInvoice(amountMsat: 1000)) }
      try driver.quitAndEnd()
    }
    return invoices.removeLast()
  }
}
