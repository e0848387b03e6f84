import Coordinator
import Glibc
import Ground
import Heartbeat
import SharedContainer
import TestKit

/// One test's own directory, with the clock of all its processes.
final class Place {
  private let own = TemporaryDirectory()
  var now = Instant(nanoseconds: 1_000_000_000)
  static let migrations = ["CREATE TABLE payments (number INTEGER NOT NULL)"]

  var path: String { own.path }
  var directory: String { own("AppGroup") }

  func open(_ role: Role) throws -> SharedContainer {
    try SharedContainer.open(directory, role: role, nodeSchema: Self.migrations)
  }

  /// Another process of that role that has claimed the node.
  func otherOwner(_ role: Role, seen: Epoch) throws -> (container: SharedContainer, claim: Claim) {
    let container = try open(role)
    let claimant = Claimant(
      process: .other, incarnation: 77, reason: "a test", bootClock: now, wallClockNanoseconds: 0)
    guard case .claimed(let claim, _) = container.claim(seen: seen, by: claimant, reading: { _ in }) else {
      throw NotClaimed()
    }
    return (container, claim)
  }

  func wallet(_ role: ProcessRole) throws -> Wallet { try Wallet(role, in: self) }
}

struct NotClaimed: Error {}

extension ProcessIdentity {
  static let other = ProcessIdentity(pid: .max, startTime: 7, boot: BootID(high: 1, low: 2))
}

/// One process of a wallet; the test acts as its node, phone and timer.
final class Wallet {
  let node = ListNode()
  let phone = Phone()
  let coordinator: NodeCoordinator<ListNode>
  private let place: Place

  init(_ role: ProcessRole, in place: Place) throws {
    self.place = place
    coordinator = try NodeCoordinator(
      role, place.directory, Place.migrations, node, phone, now: { [unowned place] in place.now })
  }

  /// Advances the time while this process and the others run.
  func pass(_ span: TimeSpan, with others: Wallet...) {
    let end = place.now + span
    while place.now < end {
      place.now = min(end, place.now + .milliseconds(50))
      for wallet in [self] + others where wallet.coordinator.nanosecondsToWake == 0 {
        wallet.coordinator.wake()
      }
    }
  }
}

/// Connects as soon as it is started, and records its calls.
final class ListNode: NodeDriver {
  var asked: [String] = []
  var lease: Lease?
  var connects = true
  var stops = true
  /// Runs inside the next start, during the coordinator's turn.
  var onStart: (() -> Void)?
  var settled: [ReceivedPayment] = []
  var settledFails = false
  /// The arguments of `settledPayments`.
  var questions: [(payment: PaymentHash?, since: Int64)] = []
  /// How many reads of settled payments fail.
  var failingReads = 0

  func readState(_ database: StateReader) throws -> [Int64] {
    try database.rows("SELECT number FROM payments").map { try $0.integer(0) }
  }

  func start(_ lease: Lease, _ state: [Int64]) {
    asked.append("start \(lease.epoch) \(state)")
    self.lease = lease
    onStart?()
    onStart = nil
    guard connects else { return }
    lease.report(.connecting)
    lease.report(.established)
  }

  func stop(gracefully: Bool) {
    asked.append(gracefully ? "stop" : "cut")
    if stops { lease?.report(.stopped) }
  }

  func acceptNoNewPayment() { asked.append("no new payment") }
  func dialNow() { asked.append("dial now") }
  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
  {
    questions.append((hash, push))
    if settledFails { throw NotClaimed() }
    guard failingReads > 0 else { return settled }
    failingReads -= 1
    return try database.rows("SELECT number FROM a_table_that_is_not_there").map { _ in fatalError() }
  }

  func pay(_ number: Int64) throws {
    try lease?.write("payment \(number)") {
      try $0.execute("INSERT INTO payments VALUES (?)", [.integer(number)])
    }
  }
}

final class Phone: AppPhone, ExtensionPhone {
  var status: NodeStatus?
  var said: [String] = []
  var sent: [[UInt8]] = []
  /// Runs when the phone is told that it may stop this process.
  var onEnd: (() -> Void)?

  func show(_ status: NodeStatus) { self.status = status }
  func notify(_ payment: ReceivedPayment) { said.append("notify \(payment.amountMsat)") }
  func send(presence: [UInt8]) { sent.append(presence) }
  func beginBackgroundTask(_ task: UInt64, name: String?) { said.append("begin \(task)") }
  func endBackgroundTask(_ task: UInt64) {
    said.append("end \(task)")
    onEnd?()
  }
  func deliver(_ outcome: PushOutcome, for push: UInt64) { said.append("deliver \(push) \(outcome.word)") }
  func finished(push: UInt64, _ reason: FinishReason) {
    said.append("finished \(push) \(reason)")
    onEnd?()
  }
  func completed(silentPush: UInt64, _ outcome: SilentPushOutcome) {
    said.append("completed \(silentPush) \(outcome)")
  }
  func ended(_ reason: EndReason) { said.append("ended \(reason)") }
  func note(_ line: String) { said.append("note") }
}

extension PushOutcome {
  fileprivate var word: String {
    switch self {
    case .received(let payment): "received \(payment.amountMsat)"
    case .nothingReceived(let reason): "nothingReceived \(reason)"
    default: "\(self)"
    }
  }
}
